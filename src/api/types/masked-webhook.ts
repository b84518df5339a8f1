/**
 * What callers see of a webhook who may not see its path, which is often the secret by which its host knows the caller, or what signs its
 * calls (caller-rights.ts).
 */

/** In place of a path, and of a secret. */
export const MASK = '…';

/** The address without what may be secret in it. */
export function maskedUrl(url: string): string {
  return `${new URL(url).origin}/${MASK}`;
}

/** The same for several, none twice: those of one host are numbered. */
export function maskedUrls(urls: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return urls.map((url) => {
    const masked = maskedUrl(url);
    const count = (counts.get(masked) ?? 0) + 1;
    counts.set(masked, count);
    return count === 1 ? masked : `${masked}${count}`;
  });
}

/** Whether it is what a caller was shown in place of an address or a secret, and not one. */
export function isMasked(text: string): boolean {
  return text.includes(MASK);
}
