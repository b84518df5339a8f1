/**
 * Migrations are written once, in SQLite's words; these are the few that PostgreSQL has others for. Text sorts by its
 * bytes, as in SQLite: by the database's language, pages would depend on where it was made.
 */

const POSTGRES_WORDS: readonly (readonly [sqlite: RegExp, postgres: string])[] = [
  [/\binteger\b/g, 'bigint'],
  [/\breal\b/g, 'double precision'],
  [/\btext\b/g, 'text collate "C"'],
  [/\)\s*strict(?:,\s*without rowid)?\s*(?=;|$)/g, ')'],
];

/** A migration's statements for PostgreSQL. What stands in quotes is left as it is. */
export function postgresDdl(sql: string): string {
  return sql
    .split(/('(?:[^']|'')*')/)
    .map((piece, index) => (index % 2 === 1 ? piece : translated(piece)))
    .join('');
}

function translated(piece: string): string {
  return POSTGRES_WORDS.reduce((text, [word, replacement]) => text.replace(word, replacement), piece);
}
