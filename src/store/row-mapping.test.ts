import { describe, expect, it } from 'vitest';
import {
  boolean,
  type ColumnsOf,
  column,
  json,
  nullable,
  number,
  type RowOf,
  rowMapping,
  text,
} from './row-mapping.ts';

interface Lamp {
  readonly id: string;
  readonly color: 'red' | 'green' | null;
  readonly isOn: boolean;
  readonly isDimmed: boolean | null;
  readonly labels: readonly string[];
  readonly litAtMs: number;
  readonly offAtMs: number | null;
  readonly secret: string | null;
}

const LAMPS = rowMapping('lamps', {
  id: text('uuid'),
  color: nullable(text('color')),
  isOn: boolean('is_on'),
  isDimmed: nullable(boolean('dimmed')),
  labels: json('labels_json'),
  litAtMs: number('lit_at_ms'),
  offAtMs: nullable(number('off_at_ms')),
  secret: column(
    'secret',
    (secret: string | null) => secret ?? '',
    (cell) => (cell === '' ? null : cell),
  ),
} satisfies ColumnsOf<Lamp>);

const LIT: Lamp = {
  id: 'a',
  color: 'red',
  isOn: true,
  isDimmed: false,
  labels: ['x', 'ü'],
  litAtMs: 1.5,
  offAtMs: 2,
  secret: 's',
};
const LIT_ROW = {
  uuid: 'a',
  color: 'red',
  is_on: 1,
  dimmed: 0,
  labels_json: '["x","ü"]',
  lit_at_ms: 1.5,
  off_at_ms: 2,
  secret: 's',
} satisfies RowOf<typeof LAMPS>;
const DARK: Lamp = {
  id: 'b',
  color: null,
  isOn: false,
  isDimmed: null,
  labels: [],
  litAtMs: 0,
  offAtMs: null,
  secret: null,
};
const DARK_ROW = {
  uuid: 'b',
  color: null,
  is_on: 0,
  dimmed: null,
  labels_json: '[]',
  lit_at_ms: 0,
  off_at_ms: null,
  secret: '',
} satisfies RowOf<typeof LAMPS>;

describe('row mapping', () => {
  it('writes and reads every kind of column', () => {
    expect([LIT, DARK].map(LAMPS.toRow)).toEqual([LIT_ROW, DARK_ROW]);
    expect([LIT_ROW, DARK_ROW].map(LAMPS.fromRow)).toEqual([LIT, DARK]);
  });

  it('names its columns in the order of its rows', () => {
    expect(LAMPS.columns).toEqual(Object.keys(LAMPS.toRow(DARK)));
  });

  it('ignores columns that it does not know', () => {
    const wider = { ...LIT_ROW, watts: 60 };
    expect(LAMPS.fromRow(wider)).toEqual(LIT);
  });

  it('names the table and the column of a field that cannot be read, without its content', () => {
    const read = () => LAMPS.fromRow({ ...LIT_ROW, labels_json: '["s3cret' });
    expect(read).toThrow(
      expect.objectContaining({
        code: 'STORE_FIELD_DAMAGED',
        context: { table: 'lamps', column: 'labels_json' },
      }),
    );
    expect(read).not.toThrow(expect.objectContaining({ cause: expect.anything() }));
  });
});
