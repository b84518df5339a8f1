import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Log, silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { AccessEnd } from '../store/access-end.ts';
import { EndFile, MAX_DEAD_LINES } from './end-file.ts';

const FULL = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

let folder: string;
let path: string;
let warnings: unknown[];
const opened: EndFile[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ends-'));
  path = join(folder, 'unstored-ends.jsonl');
  warnings = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const file of opened.splice(0)) await file.close();
  rmSync(folder, { recursive: true, force: true });
});

const log: Log = { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) };

/** As a run of the gateway has it. */
async function openFile(): Promise<EndFile> {
  const file = await EndFile.open(path, log);
  opened.push(file);
  return file;
}

async function closeAll(): Promise<void> {
  for (const file of opened.splice(0)) await file.close();
}

/** The ends that the next run finds. */
async function next(): Promise<AccessEnd[]> {
  await closeAll();
  return (await openFile()).all();
}

function newEnd(): AccessEnd {
  const principal = { type: 'API_TOKEN', uuid: null, name: 'ops', sourceIp: null, userAgent: null } as const;
  return {
    kind: 'link',
    endUuid: newRuuid(),
    orgUuid: newRuuid(),
    uuid: newRuuid(),
    atMs: 1,
    principal,
  };
}

const lines = () =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** The prototype of all file handles. */
async function handles(): Promise<FileHandle> {
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  return prototype;
}

describe('the file of ends', () => {
  it('has in the next run what the store did not get, for the gateway’s user alone', async () => {
    const [stored, left] = [newEnd(), newEnd()];
    const file = await openFile();
    expect(file.all()).toEqual([]);
    await Promise.all([file.add(stored), file.add(left)]);
    file.remove(stored.endUuid);
    expect(file.all()).toEqual([left]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await next()).toEqual([left]);
  });

  it('has the last of two ends with one UUID', async () => {
    const end = newEnd();
    const file = await openFile();
    await file.add(end);
    await file.add({ ...end, atMs: 2 });
    expect(await next()).toEqual([{ ...end, atMs: 2 }]);
  });

  it('is empty when the store has all of them', async () => {
    const ends = [newEnd(), newEnd()];
    const file = await openFile();
    for (const end of ends) await file.add(end);
    for (const { endUuid } of ends) file.remove(endUuid);
    expect(await next()).toEqual([]);
    expect(statSync(path).size).toBe(0);
  });

  it('cannot be opened if a folder has its name', async () => {
    mkdirSync(path);
    await expect(openFile()).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('a damaged file of ends', () => {
  it('loses only the line that a kill has torn, and the next one is whole', async () => {
    const [whole, torn, later] = [newEnd(), newEnd(), newEnd()];
    await (await openFile()).add(whole);
    await closeAll();
    writeFileSync(path, JSON.stringify({ end: torn }).slice(0, 40), { flag: 'a' });
    const file = await openFile();
    expect(file.all()).toEqual([whole]);
    expect(warnings).toEqual([{ path, lines: 1 }]);
    await file.add(later);
    expect(await next()).toEqual([whole, later]);
  });

  it.each([
    'null',
    '[]',
    '7',
    '{}',
    '{"end":null}',
    '{"end":{"endUuid":7}}',
    '{"stored":[]}',
    '\u0000\u0000',
    '{"end":',
  ])('leaves out a line of %j', async (text) => {
    const end = newEnd();
    writeFileSync(path, `${text}\n${JSON.stringify({ end })}\n`);
    expect((await openFile()).all()).toEqual([end]);
    expect(warnings).toEqual([{ path, lines: 1 }]);
  });
});

describe('on a full disk', () => {
  it('an end is not acknowledged, and half of its line spoils no other', async () => {
    const [before, failed, after] = [newEnd(), newEnd(), newEnd()];
    const file = await openFile();
    await file.add(before);
    vi.spyOn(await handles(), 'appendFile').mockImplementationOnce(async function half(
      this: FileHandle,
      data,
    ) {
      await this.write(String(data).slice(0, 30));
      throw FULL;
    });
    await expect(file.add(failed)).rejects.toThrow('ENOSPC');
    expect(file.all()).toEqual([before]);
    await file.add(after);
    expect(await next()).toEqual([before, after]);
  });

  it('an end whose line did not reach the disk is not acknowledged', async () => {
    const file = await openFile();
    vi.spyOn(await handles(), 'datasync').mockRejectedValueOnce(FULL);
    await expect(file.add(newEnd())).rejects.toThrow('ENOSPC');
    expect(file.all()).toEqual([]);
    const end = newEnd();
    await file.add(end);
    expect(file.all()).toEqual([end]);
  });

  it('a stored end that cannot be noted is only logged, and stored once more by the next run', async () => {
    const [end, other] = [newEnd(), newEnd()];
    const file = await openFile();
    await Promise.all([file.add(end), file.add(other)]);
    vi.spyOn(await handles(), 'appendFile').mockRejectedValueOnce(FULL);
    file.remove(end.endUuid);
    expect(file.all()).toEqual([other]);
    expect(await next()).toEqual([end, other]);
    expect(warnings).toHaveLength(1);
  });
});

describe('a file with many lines that count no more', () => {
  /** One end that stays, and so many that come and go that the next one makes it too long. */
  async function fill(file: EndFile): Promise<AccessEnd> {
    const stays = newEnd();
    await file.add(stays);
    const passing = Array.from({ length: MAX_DEAD_LINES / 2 + 10 }, newEnd);
    await Promise.all(passing.map((end) => file.add(end)));
    for (const { endUuid } of passing) file.remove(endUuid);
    return stays;
  }

  it('is written again without them', async () => {
    const file = await openFile();
    const stays = await fill(file);
    const more = [newEnd(), newEnd()];
    for (const end of more) await file.add(end);
    await closeAll();
    expect(lines().length).toBeLessThan(10);
    expect((await openFile()).all()).toEqual([stays, ...more]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('stays as it is if that fails, and its ends are acknowledged', async () => {
    mkdirSync(`${path}.new`);
    const file = await openFile();
    const stays = await fill(file);
    const more = [newEnd(), newEnd()];
    for (const end of more) await file.add(end);
    expect(file.all()).toEqual([stays, ...more]);
    expect(warnings).toHaveLength(1);
    expect(await next()).toEqual([stays, ...more]);
  });
});
