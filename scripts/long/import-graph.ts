/**
 * Which files a file reaches: by imports, by the modules of threads and child processes, and by the paths of files that it reads.
 * Any text after a quotation mark that is the path of a tracked file counts, from its own folder or from the root. So a test that
 * starts `src/app/main.ts` reaches all that the gateway imports. Imports of types can be left out: at run time they do not exist.
 */

import { dirname, join, normalize } from 'node:path';

const TYPE_IMPORT = /^\s*(?:import|export)\s+type\s[^;]*?from\s+'[^']+';?/gm;
/** Up to `${`, if it is a template. */
const PATH = /['"`]([\w@./-]+)/g;
/** Files that load others. What documents and settings name is not loaded. */
const PROGRAM = /\.(?:tsx?|mts|mjs|js|py)$/;
/** A program that reads a folder does not load the tests in it. */
const TEST = /\.test\.tsx?$/;

export interface ImportGraph {
  /** All files that these reach, with themselves. */
  reach(entries: readonly string[]): ReadonlySet<string>;
}

export interface GraphOptions {
  /** All that are tracked, from the root of the repository. */
  readonly files: readonly string[];
  /** Reads one of them. */
  readonly textOf: (file: string) => string;
  /** Whether to follow imports of types, too. */
  readonly withTypes: boolean;
}

export function importGraph({ files, textOf, withTypes }: GraphOptions): ImportGraph {
  const known = new Set(files);
  const folders = foldersOf(files);
  const next = new Map<string, readonly string[]>();
  const edgesOf = (file: string): readonly string[] => {
    const stored = next.get(file);
    if (stored !== undefined) return stored;
    const text = PROGRAM.test(file) ? textOf(file) : '';
    const followed = withTypes ? text : text.replaceAll(TYPE_IMPORT, '');
    const edges = mentionedBy(file, followed, known, folders);
    next.set(file, edges);
    return edges;
  };
  return {
    reach: (entries) => {
      const found = new Set(entries);
      for (const file of found) for (const edge of known.has(file) ? edgesOf(file) : []) found.add(edge);
      return found;
    },
  };
}

function mentionedBy(
  file: string,
  text: string,
  known: ReadonlySet<string>,
  folders: ReadonlyMap<string, readonly string[]>,
): string[] {
  const found = new Set<string>();
  for (const [, path] of text.matchAll(PATH)) {
    const near = normalize(join(dirname(file), path!)).replace(/\/$/, '');
    for (const one of [near, normalize(path!)]) if (known.has(one)) found.add(one);
    // All files of a folder that it names: relative, and not one in which the file itself is.
    if (path!.startsWith('.') && !file.startsWith(`${near}/`))
      for (const inside of folders.get(near) ?? []) found.add(inside);
  }
  found.delete(file);
  return [...found];
}

/** By folder: all files in it and below. */
function foldersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const file of files)
    for (let folder = TEST.test(file) ? '.' : dirname(file); folder !== '.'; folder = dirname(folder)) {
      const inside = folders.get(folder);
      if (inside === undefined) folders.set(folder, [file]);
      else inside.push(file);
    }
  return folders;
}
