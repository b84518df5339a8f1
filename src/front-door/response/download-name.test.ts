import { describe, expect, it } from 'vitest';
import { downloadName } from './download-name.ts';

const FROM_MS = Date.UTC(2026, 6, 1, 22, 5, 9);

describe('the name of a download', () => {
  it.each([
    ['Europe/Berlin', 'Van - Dock - 2026-07-02 00.05.09 UTC+2.mp4'],
    ['Asia/Kolkata', 'Van - Dock - 2026-07-02 03.35.09 UTC+5.30.mp4'],
    ['America/New_York', 'Van - Dock - 2026-07-01 18.05.09 UTC-4.mp4'],
    ['', 'Van - Dock - 2026-07-01 22.05.09 UTC.mp4'],
    ['+02:00', 'Van - Dock - 2026-07-01 22.05.09 UTC.mp4'],
    ['../../etc', 'Van - Dock - 2026-07-01 22.05.09 UTC.mp4'],
  ])('has title, camera, time, and the zone %s', (zone, name) => {
    expect(downloadName({ titles: ['Van', 'Dock'], fromMs: FROM_MS, extension: 'mp4' }, zone)).toBe(name);
  });

  it('does not repeat a camera that the title names', () => {
    const file = { titles: ['Van – Dock', 'Dock'], fromMs: FROM_MS, extension: 'mp4' };
    expect(downloadName(file, 'UTC')).toBe('Van – Dock - 2026-07-01 22.05.09 UTC.mp4');
  });

  it('cannot be disguised, and fits every file system', () => {
    const titles = ['Lobby\u202egpj.exe\u2066', 'a/b\\c:d"e\n', 'a/b\\c:d"e\n', '', 'x'.repeat(200)];
    expect(downloadName({ titles, fromMs: null, extension: 'mp4' }, '')).toBe(
      `Lobbygpj.exe - a_b_c_d_e_ - ${'x'.repeat(80)}.mp4`,
    );
  });
});
