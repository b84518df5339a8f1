import { describe, expect, it } from 'vitest';
import './page-address-fixture.ts';
import type { FoundCamera } from './camera-adding.ts';
import { choseAll, isCheckable, MAX_ROWS, mergedRows, newRow, type OnvifRow, rowName } from './onvif-rows.ts';

const found = (address: string, more: Partial<FoundCamera> = {}): FoundCamera => ({
  address,
  https: false,
  known: false,
  ...more,
});

describe('rows', () => {
  it('choose nothing by themselves, and all that are new if someone says so', () => {
    const rows = mergedRows([], [found('192.0.2.1'), found('192.0.2.2', { known: true })]);
    expect(rows.map(({ isChosen }) => isChosen)).toEqual([false, false]);
    const chosen = choseAll(rows, true);
    expect(chosen.map(isCheckable)).toEqual([true, false]);
    expect(choseAll(chosen, false).some(isCheckable)).toBe(false);
  });

  it('keep what was done when it is looked for again', () => {
    const added: OnvifRow = { ...newRow(found('192.0.2.1'), true), step: { kind: 'added', cameraUuid: 'x' } };
    const gone = newRow(found('192.0.2.2'), true);
    const rows = mergedRows([added, gone], [found('192.0.2.3')]);
    expect(rows.map(({ found: { address } }) => address)).toEqual(['192.0.2.3', '192.0.2.1']);
  });

  it('have a bound', () => {
    const many = Array.from({ length: 600 }, (_, index) => found(`192.0.${index >> 8}.${index & 255}`));
    expect(mergedRows([], many)).toHaveLength(MAX_ROWS);
  });

  it('are called as someone wrote, as the camera says, or by the address', () => {
    const row = newRow(found('192.0.2.1'), true);
    expect(rowName(row)).toBe('Camera 192.0.2.1');
    expect(rowName({ ...row, found: found('192.0.2.1', { name: ' <b>Gate</b> ' }) })).toBe('<b>Gate</b>');
    expect(rowName({ ...row, name: '' })).toBe('');
    expect(rowName({ ...row, found: found('192.0.2.1', { name: 'x'.repeat(900) }) })).toHaveLength(256);
  });
});
