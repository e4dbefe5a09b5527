// The texts of Lightning's view.
export const lightningTexts = {
  readingHooks: "Reading Lightning's hooks",
  hook: 'Hook',
  hooks: 'Hooks',
  lightningModules: 'Lightning modules',
  lightningHooks: 'Lightning hooks',
};
