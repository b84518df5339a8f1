/** One step of the database's schema. Released migrations never change; a new need is a new number. */
export interface Migration {
  /** `user_version` of the database after it: 1, 2, 3… without gaps. */
  readonly version: number;
  readonly name: string;
  /** SQLite statements, run in one transaction together with the increase of `user_version`. */
  readonly sql: string;
  /** Statements that only SQLite runs, after those. */
  readonly sqlite?: string;
  /** Statements that only PostgreSQL runs, after those, in its own dialect. */
  readonly postgres?: string;
}
