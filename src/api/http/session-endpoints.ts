/** Which endpoints pages may call with a federated session (accounts/federated-session.ts). */

/** What pages that show cameras read. */
const VIEWED_CATEGORIES: ReadonlySet<string> = new Set([
  'camera',
  'doorbellcamera',
  'event',
  'location',
  'video',
]);
const READING_OPERATION = /^(?:find|get)[A-Z]/;
const VALIDATE_PATH = '/api/integrations/validateToken';

/** Whether an endpoint takes sessions: those that read what a page shows, and the one that tells whether a token works. */
export function takesSessions(path: string): boolean {
  const [, , category = '', operation = '', ...further] = path.split('/');
  const isViewed = VIEWED_CATEGORIES.has(category) && READING_OPERATION.test(operation);
  return path === VALIDATE_PATH || (isViewed && further.length === 0);
}
