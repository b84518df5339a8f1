import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { nameOfKey } from '../evidence/signing-key.ts';
import { DecryptingStorage } from './decrypting-storage.ts';
import { FakeDisk } from './fake-disk.ts';
import { CountedNumbers } from './file-numbers.ts';
import { FileStorage } from './file-storage.ts';
import { RecordingKeys } from './recording-cipher.ts';
import { BOOT_ID, FakeStream, newStream, OTHER_BOOT_ID, testFolder } from './recording-fixture.ts';
import { RecordingWriter, type RecordingWriterOptions } from './recording-writer.ts';
import { repairRecording } from './repair-recording.ts';
import { SegmentChain } from './segment-chain.ts';
import {
  packedHead,
  packIndex,
  type RecordedFile,
  type RecordedStream,
  recordingName,
  unpackIndex,
} from './segment-index.ts';
import { ChainOrder, type CheckedSegment, verifyFile } from './verify-recording.ts';

const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
const SIGNER = { keyName: nameOfKey(publicKey), key };
const LIMITS = { fileBytes: 4 * 1_048_576, syncIntervalMs: 5_000, minFreeBytes: 0 };

class Bench {
  readonly folder = testFolder();
  readonly stream: RecordedStream;
  readonly clock = new FakeClock();
  readonly camera = new FakeStream(this.clock);
  readonly disk = new FakeDisk();
  readonly files: RecordedFile[] = [];
  readonly unfinished: number[] = [];
  readonly storage: DecryptingStorage;
  readonly writer: RecordingWriter;

  constructor({ keys = null, stream = newStream(), ...options }: Partial<RecordingWriterOptions> = {}) {
    this.stream = stream;
    const plain = new FileStorage(this.folder, this.disk);
    this.storage = new DecryptingStorage(plain, keys ?? new RecordingKeys(Buffer.alloc(32, 3)));
    this.writer = new RecordingWriter({
      stream: this.stream,
      storage: this.storage,
      limits: LIMITS,
      bootId: BOOT_ID,
      numbers: new CountedNumbers(0),
      keys,
      chain: new SegmentChain(this.stream, () => SIGNER),
      clock: this.clock,
      events: {
        onSegment: () => undefined,
        onFile: (file) => void this.files.push(file),
        onUnfinished: (number) => void this.unfinished.push(number),
        onState: () => undefined,
        onDropped: () => undefined,
      },
      ...options,
    });
  }

  async write(segments: number): Promise<void> {
    for (const { part, bytes } of this.camera.segments(segments)) await this.writer.write(part, bytes);
  }

  path(number = 0): string {
    return join(this.folder, recordingName(this.stream, number));
  }

  async check({ number, segments }: Pick<RecordedFile, 'number' | 'segments'>): Promise<CheckedSegment[]> {
    const name = recordingName(this.stream, number);
    const reader = await this.storage.open(name);
    const keys = (named: Buffer) => (named.equals(SIGNER.keyName) ? publicKey : null);
    const checks = verifyFile(reader, { of: this.stream, name, segments, keys });
    const checked: CheckedSegment[] = [];
    for await (const each of checks) checked.push(each);
    await reader.close();
    return checked;
  }

  repair(number: number, bootId = BOOT_ID): Promise<RecordedFile | null> {
    return repairRecording(this.storage, recordingName(this.stream, number), bootId, SIGNER);
  }
}

function findings(checks: readonly CheckedSegment[]): string[] {
  return checks.map(({ finding }) => finding);
}

function steps(checks: readonly CheckedSegment[]): string[] {
  const order = new ChainOrder();
  return checks.map(({ link }) => (link === null ? 'none' : order.add(link)));
}

const SUITES = [
  ['in the clear', null],
  ['encrypted', new RecordingKeys(Buffer.alloc(32, 3))],
] as const;

describe.each(SUITES)('the chain of segments, %s', (_, keys) => {
  it('links all files of a run, and stores the last link with the index', async () => {
    const bench = new Bench({ keys, limits: { ...LIMITS, fileBytes: 60_000 } });
    await bench.write(12);
    await bench.writer.close();
    expect(bench.files.length).toBeGreaterThan(1);
    const checks: CheckedSegment[] = [];
    for (const file of bench.files) {
      const ofFile = await bench.check(file);
      expect(ofFile.at(-1)?.link?.digest.toString('base64url')).toBe(file.head);
      const packed = packIndex(file.segments, file.head);
      expect(packedHead(packed)).toBe(file.head);
      // As rows hold it: in whole milliseconds. What was recorded lies in the file.
      expect(findings(await bench.check({ ...file, segments: unpackIndex(packed) }))).toEqual(
        findings(ofFile),
      );
      checks.push(...ofFile);
    }
    expect(findings(checks)).toEqual(checks.map(() => 'whole'));
    expect(steps(checks)).toEqual(checks.map((_, i) => (i === 0 ? 'begins' : 'follows')));
    expect(checks).toHaveLength(12);
  });

  it('finds every changed byte of the media and of the facts', async () => {
    const bench = new Bench({ keys });
    await bench.write(2);
    await bench.writer.close();
    const [file] = bench.files;
    const whole = readFileSync(bench.path());
    const [first, second] = file!.segments;
    const isInMedia = (at: number) => at > first!.offset + 200 && at < second!.offset - 400;
    const unseen: number[] = [];
    for (let at = 0; at < whole.length; at += isInMedia(at) ? 997 : 7) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1;
      writeFileSync(bench.path(), bytes);
      const isFound = await bench
        .check(file!)
        .then((checks) => checks.some(({ finding }) => finding === 'changed'))
        .catch(() => true);
      if (!isFound) unseen.push(at);
    }
    expect(unseen).toEqual([]);
  });

  it('finds a segment that someone without the key put in the place of another', async () => {
    const bench = new Bench({ keys });
    const { privateKey } = generateKeyPairSync('ed25519');
    const { stream } = bench;
    const chain = new SegmentChain(stream, () => ({ ...SIGNER, key: privateKey }));
    const forger = new Bench({ keys, stream, chain });
    for (const each of [bench, forger]) {
      await each.write(3);
      await each.writer.close();
    }
    writeFileSync(bench.path(), readFileSync(forger.path()));
    const [file] = forger.files as [RecordedFile];
    expect(findings(await bench.check(file))).toEqual(file.segments.map(() => 'changed'));
  });

  it('continues in a file that a kill left unfinished, and says that the last segment was repaired', async () => {
    const bench = new Bench({ keys });
    await bench.write(3);
    const file = await bench.repair(0);
    expect(file?.segments.length).toBeGreaterThanOrEqual(3);
    const checks = await bench.check(file!);
    expect(findings(checks)).toEqual(checks.map(() => 'whole'));
    expect(steps(checks)).toEqual(checks.map((_, i) => (i === 0 ? 'begins' : 'follows')));
    expect(checks.map(({ link }) => link?.isRepaired)).toEqual(checks.map((_, i) => i >= 3));
    expect(checks.at(-1)?.link?.digest.toString('base64url')).toBe(file?.head);
    // Another node produces the same bytes, and a rebuilt catalog the same row.
    expect(await bench.repair(0)).toEqual(file);
  });

  it('replaces a link that a kill tore, and drops the segment after a power cut, since nothing vouches for it', async () => {
    const bench = new Bench({ keys });
    await bench.write(3);
    await bench.writer.close();
    const [{ byteLength, segments }] = bench.files as [RecordedFile];
    const whole = readFileSync(bench.path());
    truncateSync(bench.path(), byteLength - 10);
    const file = await bench.repair(0);
    expect(file?.segments).toHaveLength(segments.length);
    const checks = await bench.check(file!);
    expect(findings(checks)).toEqual(checks.map(() => 'whole'));
    expect(checks.at(-1)?.link?.isRepaired).toBe(true);
    writeFileSync(bench.path(), whole.subarray(0, -10));
    const after = await bench.repair(0, OTHER_BOOT_ID);
    expect(after?.segments).toHaveLength(segments.length - 1);
    expect(findings(await bench.check(after!))).toEqual(after!.segments.map(() => 'whole'));
  });

  it('drops media that a power cut damaged', async () => {
    const bench = new Bench({ keys });
    await bench.write(3);
    await bench.writer.close();
    const [{ segments }] = bench.files as [RecordedFile];
    const bytes = readFileSync(bench.path());
    bytes[segments[1]!.offset + 500]! ^= 1;
    writeFileSync(bench.path(), bytes);
    expect((await bench.repair(0, OTHER_BOOT_ID))?.segments).toHaveLength(1);
  });

  it('begins another run after a failed disk, so that a repair does not fork the chain', async () => {
    const bench = new Bench({ keys });
    await bench.write(2);
    bench.disk.breakWrites();
    await bench.write(1);
    bench.disk.broken.clear();
    bench.clock.advance(60_000);
    await bench.write(2);
    await bench.writer.close();
    const [number] = bench.unfinished;
    const repaired = await bench.repair(number!);
    const before = await bench.check(repaired!);
    const after = await bench.check(bench.files.at(-1)!);
    expect(findings([...before, ...after])).not.toContain('changed');
    expect(steps([...before, ...after]).filter((step) => step !== 'follows')).toEqual(['begins', 'begins']);
  });

  it('calls deleted files a gap', async () => {
    const bench = new Bench({ keys, limits: { ...LIMITS, fileBytes: 40_000 } });
    await bench.write(12);
    await bench.writer.close();
    const [first, ...others] = bench.files;
    expect(others.length).toBeGreaterThan(1);
    const left = [...(await bench.check(first!)), ...(await bench.check(others.at(-1)!))];
    expect(findings(left)).toEqual(left.map(() => 'whole'));
    expect(steps(left).filter((step) => step !== 'follows')).toEqual(['begins', 'gap']);
  });

  it('does not mistake what an older version recorded for something changed', async () => {
    const bench = new Bench({ keys, chain: null });
    await bench.write(2);
    await bench.writer.close();
    expect(findings(await bench.check(bench.files[0]!))).toEqual(['unlinked', 'unlinked']);
    expect(await bench.repair(0)).toMatchObject({ segments: { length: 2 } });
  });
});
