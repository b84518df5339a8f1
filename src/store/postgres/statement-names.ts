/** Names under which connections keep recurring statements: the server plans those once. */

/** The repositories have fewer. Each connection of each gateway keeps them in the server's memory. */
const MAX_NAMES = 256;
/** With more parameters, it is a list of varying length, and a different statement each time. */
const MAX_PARAMETERS = 32;

export class StatementNames {
  readonly #names = new Map<string, string>();

  /** undefined: not worth a name. */
  nameOf(sql: string, parameterCount: number): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (parameterCount > MAX_PARAMETERS || this.#names.size >= MAX_NAMES) return undefined;
    const name = `sluice_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}
