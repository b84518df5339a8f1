/**
 * Defects that simulations have found and that are not repaired yet. They do not end a run, so that others are found. A
 * thousand seeds must see each of them: an entry that they do not see any longer has been repaired, and goes.
 */

export const KNOWN_DEFECTS = {
  'a drain that is cut off takes a part back':
    'A node that drains stores exact numbers and gives its lease away, although the link broke before the next owner had its newest part. The next owner goes on in a window without that part, so a segment that viewers know is shorter there.',
  'a file without segments is listed after it was deleted':
    'A node that lost its lease while the database was away deletes a file without segments, and lists it later. Its row refers to no file.',
} as const;

export type KnownDefect = keyof typeof KNOWN_DEFECTS;
