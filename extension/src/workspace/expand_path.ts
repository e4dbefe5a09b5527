/**
 * Expands `~`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}` in a path of the settings.
 * What cannot be expanded is left out.
 */
export function expandPath(
  path: string,
  variables: {
    home: string;
    workspaceFolder?: string | undefined;
    env: Record<string, string | undefined>;
  },
): string {
  return path
    .replace(/^~(?=$|[\\/])/, variables.home)
    .replace(/\$\{userHome\}/g, variables.home)
    .replace(/\$\{workspaceFolder\}/g, variables.workspaceFolder ?? '')
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => variables.env[name] ?? '');
}
