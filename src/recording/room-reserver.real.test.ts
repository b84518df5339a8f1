import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RoomReserver } from './room-reserver.ts';

const MIB = 1_048_576;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice room's "));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const shells = () =>
  execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('fallocate --length'))
    .map((line) => Number.parseInt(line, 10));

describe('RoomReserver', () => {
  it('reserves room, leaves what is written, and takes a path for a path', async () => {
    const rooms = new RoomReserver();
    const paths = ['a', 'b $(touch c) "\\n"', '--posix'].map((name) => fileWith(name, name));
    await Promise.all(paths.map((path) => rooms.reserve(path, MIB)));
    for (const path of paths) {
      expect(statSync(path)).toMatchObject({ size: MIB, blocks: MIB / 512 });
      expect(readFileSync(path, 'latin1').replaceAll('\0', '')).toBe(path.slice(folder.length + 1));
    }
    await rooms.reserve(join(folder, 'two\nlines'), MIB);
  });

  it('goes on after a file that it cannot reserve room for, and after the end of its shell', async () => {
    const rooms = new RoomReserver();
    const before = shells();
    await rooms.reserve(join(folder, 'missing', 'a'), MIB);
    const [shell, ...others] = shells().filter((pid) => !before.includes(pid));
    expect(others).toEqual([]);
    process.kill(shell!, 'SIGKILL');
    const path = fileWith('a', '');
    await rooms.reserve(path, MIB);
    // The shell may have taken the request along; the next one has another.
    await rooms.reserve(path, MIB);
    expect(statSync(path).size).toBe(MIB);
  });
});
