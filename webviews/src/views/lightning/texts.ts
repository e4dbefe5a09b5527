// The texts of Lightning's view.
export const lightningTexts = {
  moduleRows: 'lightning modules',
  hookRows: 'lightning hooks',
  readingHooks: "Reading Lightning's hooks",
  hooks: 'Hooks',
  lightningModules: 'Lightning modules',
  lightningHooks: 'Lightning hooks',
};
