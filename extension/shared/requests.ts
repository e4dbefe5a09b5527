// What a page may ask the daemon through the extension.
import type { SideName } from './comparison.ts';
import type { ViewSelection } from './messages.ts';
import type { Method, Methods } from './protocol.ts';

/** Opening and closing profiles is not for pages. */
export type PageMethod = Extract<
  Method,
  | `${'view' | 'timeline' | 'source' | 'compare' | 'distributed'}/${string}`
  | 'profile/check'
  | 'profile/load'
  | 'profile/firstPicture'
>;

const forwardable =
  /^(?:(?:view|timeline|source|compare|distributed)\/[A-Za-z]+|profile\/(?:check|load|firstPicture))$/;

export function isPageMethod(method: string): boolean {
  return forwardable.test(method);
}

/** Which folders the daemon may read, and which file it may look for, is for the extension to say. */
export const hostParams = [
  'sourceRoots',
  'sitePackages',
  'mappings',
  'anywhere',
  'profileId',
  'digests',
  'baselineRevision',
  'baselineText',
] as const;

/** What a page says itself when it asks; its selection goes along with every request. */
export type PageParams<M extends PageMethod> = Omit<
  Methods[M]['params'],
  (typeof hostParams)[number] | keyof ViewSelection | SideName
>;

export type Result<M extends Method> = Methods[M]['result'];
