/** Where the console is. The document's base is `<API listener>/console/`. */

/** Path of the console, with a slash at its end. */
export const CONSOLE_BASE = new URL(document.baseURI).pathname;

/** Base of the API listener, with a slash at its end. */
export const API_BASE = new URL('../', document.baseURI);

/** An address within the console. `path`: without a leading slash; empty for its start. */
export function place(path: string): string {
  return CONSOLE_BASE + path;
}

/** What `place` made an address of. */
export function pathBelowConsole(path: string): string {
  return path.startsWith(CONSOLE_BASE) ? path.slice(CONSOLE_BASE.length) : '';
}
