import { randomBytes } from 'node:crypto';

export interface PageResources {
  /** Source expression of the webview's own resources. */
  cspSource: string;
  scriptUri: string;
  /** Absent where the bundle has no style sheet of its own. */
  styleUri?: string;
  title: string;
}

export function newNonce(): string {
  return randomBytes(18).toString('base64');
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * The page of a profile editor. Only our own scripts run and nothing is fetched from elsewhere: what the
 * first one imports later has its nonce, as HTML has it for modules.
 * Inline styles are allowed because form controls in shadow roots need them; scripts are not.
 */
export function pageHtml(resources: PageResources, nonce = newNonce()): string {
  const { cspSource, scriptUri, styleUri, title } = resources;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'unsafe-inline'`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
  ].join('; ');
  const style =
    styleUri === undefined
      ? ''
      : `\n<link rel="stylesheet" nonce="${nonce}" href="${escapeHtml(styleUri)}">`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>${style}
</head>
<body>
<div id="root"></div>
<script type="module" nonce="${nonce}" src="${escapeHtml(scriptUri)}"></script>
</body>
</html>
`;
}
