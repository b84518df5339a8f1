/** Why a name has no address, with a code of `node:dns`. Shaped like its errors, because `net.connect` passes both on. */

export class NameError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The name was not resolved: ${code}.`);
    this.name = 'NameError';
    this.code = code;
  }
}
