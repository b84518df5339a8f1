/** Dialogs of the console have one footer, so that their buttons are on one side in one order. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const CONSOLE = 'web/console';
const OWNER = 'web/console/ui/dialog-footer.tsx';
/** Forms that are pages, not dialogs. A dialog in one of these files has its footer from `FormDialog`. */
const PAGE_FORMS: ReadonlySet<string> = new Set([
  'web/console/pages/camera-masks.tsx',
  'web/console/pages/camera-source.tsx',
  'web/console/ui/clip-cutter.tsx',
  'web/console/ui/network-finder.tsx',
  'web/console/ui/push-form.tsx',
  'web/console/ui/recorder-finder.tsx',
  'web/console/ui/recording-panel.tsx',
  'web/console/ui/schedule-editor.tsx',
  'web/console/ui/settings-form.tsx',
  'web/console/ui/source-wizard.tsx',
  'web/console/ui/wall-editor.tsx',
]);

const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => join(CONSOLE, name))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

it('builds no footer of its own in a dialog', () => {
  const own = sources.filter(({ file, text }) => text.includes('<footer') && file !== OWNER);
  expect(own.map(({ file }) => file).filter((file) => !PAGE_FORMS.has(file))).toEqual([]);
});

it('lists only page forms that have a footer, and no plain dialog', () => {
  const listed = sources.filter(({ file }) => PAGE_FORMS.has(file));
  expect(listed.filter(({ text }) => !text.includes('<footer')).map(({ file }) => file)).toEqual([]);
  expect(listed.filter(({ text }) => /<Dialog\b/.test(text)).map(({ file }) => file)).toEqual([]);
});

it('looks like a deed that destroys only where SubmitButton does', () => {
  const own = sources.filter(({ file, text }) => text.includes('primary bad') && file !== OWNER);
  expect(own.map(({ file }) => file)).toEqual([]);
});
