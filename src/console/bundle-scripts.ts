/**
 * Bundles the scripts of web/console/ and prints them as JSON (`ConsoleScript[]`): a program, because the bundler's memory is
 * never returned (console-bundle.ts).
 */

import { resolve } from 'node:path';
import { type CodeSplittingGroup, rolldown } from 'rolldown';
import type { ConsoleScript } from './console-bundle.ts';

const MAIN = resolve(import.meta.dirname, '../../web/console/main.tsx');

/**
 * What every page needs, and small parts that pages share: alone, they were thirty files of a few hundred bytes, and a page
 * waited for twenty of them.
 */
const CHUNKS: CodeSplittingGroup[] = [
  { name: 'start', tags: ['$initial'], priority: 1 },
  { name: 'parts', test: /[\\/]web[\\/]console[\\/]/, minShareCount: 3 },
];

export async function bundleScripts(): Promise<ConsoleScript[]> {
  const bundle = await rolldown({
    input: { main: MAIN },
    platform: 'browser',
    // The installed gateway has none.
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog: (_level, { message }) => {
      // A warning of the bundler is a mistake of ours, which no reader of the log could mend.
      throw new Error(`the console cannot be bundled: ${message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      minify: true,
      entryFileNames: '[name].[hash].js',
      chunkFileNames: '[name].[hash].js',
      codeSplitting: { groups: CHUNKS },
    });
    return output
      .filter((part) => part.type === 'chunk')
      .map(({ fileName, code, isEntry, imports }) => ({ fileName, code, isEntry, imports }));
  } finally {
    await bundle.close();
  }
}

if (import.meta.main) process.stdout.write(JSON.stringify(await bundleScripts()));
