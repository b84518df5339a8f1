/** Keys of the console: one that acts is in the list that `?` opens. */

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const CONSOLE = fileURLToPath(new URL('../../web/console/', import.meta.url));

/** Files that handle keys on their own, and why the list does not have these. */
const WITHOUT_TABLE: Readonly<Record<string, string>> = {
  'alert-signals.ts': 'any key lets the browser sound, and does nothing else',
  'select-passwords.ts': 'reacts to any key, and does nothing else with it',
  'shell.tsx': 'Escape closes the menu of a phone',
  'ui/cut-grips.tsx': 'a slider has the keys of its role',
  'ui/find-button.tsx': 'keeps what is typed while the search is being loaded',
  'ui/find-dialog.tsx': 'a combobox has the keys of its role, and names them below the results',
  'ui/layout-editor.tsx': 'a cell of a layout is moved by arrows, and names them below the layout',
  'ui/mask-editor.tsx': 'a corner of an area is moved by arrows, and the page names them',
  'ui/option-list.tsx': 'a list box has the keys of its role',
  'ui/picker.tsx': 'a button that opens a list has the keys of its role',
  'ui/ptz-controls.tsx': 'a button has the keys that press it',
  'ui/select-box.tsx': 'notes whether Shift is held with a click',
  'ui/source-fields.tsx': 'Enter in a field does what its button does',
  'ui/talk-panel.tsx': 'a button has the keys that press it',
  'ui/timeline-lanes.tsx': 'passes keys of the axis to the table of site-timeline.tsx',
  'ui/use-idle.ts': 'any key shows the controls again, and does nothing else',
  'ui/use-keys.ts': 'the listener that passes keys to the tables',
  'ui/week-grid.tsx': 'a grid has the keys of its role, and names them below it',
};

const HANDLES_KEYS = /onKeyDown|['"]keydown['"]/;
const HAS_TABLE = /\bpressed\(/;

const files = globSync('**/*.{ts,tsx}', { cwd: CONSOLE, exclude: ['**/*.test.ts'] });

describe('keys of the console', () => {
  it('come from a table that is listed, or are those of a role', () => {
    const own = files.filter((file) => {
      const text = readFileSync(CONSOLE + file, 'utf8');
      return HANDLES_KEYS.test(text) && !HAS_TABLE.test(text);
    });
    expect(own.toSorted()).toEqual(Object.keys(WITHOUT_TABLE).toSorted());
  });
  it('are listed by the file that passes presses of a part to its table', () => {
    const unlisted = files.filter((file) => {
      const text = readFileSync(CONSOLE + file, 'utf8');
      return file !== 'key-board.ts' && HAS_TABLE.test(text) && !text.includes('usePartKeys(');
    });
    expect(unlisted).toEqual([]);
  });
});
