/**
 * Migrations are written once, in SQLite's dialect. These are the few words that differ in PostgreSQL. Text sorts by its
 * bytes, as in SQLite: sorted by the database's language, pages would depend on where it was created.
 */

const POSTGRES_WORDS: readonly (readonly [sqlite: RegExp, postgres: string])[] = [
  [/\binteger\b/g, 'bigint'],
  [/\breal\b/g, 'double precision'],
  [/\btext\b/g, 'text collate "C"'],
  [/\)\s*strict(?:,\s*without rowid)?\s*(?=;|$)/g, ')'],
];

/** A migration's statements for PostgreSQL. Quoted text does not change. */
export function postgresDdl(sql: string): string {
  return sql
    .split(/('(?:[^']|'')*')/)
    .map((piece, index) => (index % 2 === 1 ? piece : translated(piece)))
    .join('');
}

function translated(piece: string): string {
  return POSTGRES_WORDS.reduce((text, [word, replacement]) => text.replace(word, replacement), piece);
}
