import type { CredentialUrl } from '../../core/secret.ts';

/** The database in messages: without user, password and the options after the question mark. */
export function databaseNameOf(url: CredentialUrl): string {
  const shown = new URL(url.redacted());
  shown.search = '';
  return shown.href;
}
