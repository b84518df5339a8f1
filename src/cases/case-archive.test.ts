import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { type ArchiveFiles, verifyArchive } from '../evidence/verify-archive.ts';
import { zipFiles } from '../evidence/zip-files.ts';
import { ZipArchive } from '../front-door/files/zip-archive.ts';
import { recordingName } from '../recording/segment-index.ts';
import { sealedEntries } from './case-archive.ts';
import { CASES_START_MS, casesBench } from './cases-fixture.ts';

type Bench = Awaited<ReturnType<typeof casesBench>>;

async function sealedCase(bench: Bench, seconds = 6) {
  const { orgUuid, cases, sealer, record } = bench;
  const streams = [await record(seconds), await record(seconds)];
  const fields = { title: 'Theft', number: '2026/17', notes: 'Two cameras.' };
  const { uuid } = await cases.create(orgUuid, fields, 'Ada');
  for (const { cameraUuid } of streams) {
    const thing = { cameraUuid, startMs: CASES_START_MS, endMs: CASES_START_MS + 60_000 };
    await cases.add(orgUuid, uuid, { thing, note: '', by: 'Ada', reader: newRuuid() });
  }
  await sealer.seal(orgUuid, uuid, 'Ada');
  await sealer.settled();
  const { record: found } = await cases.find(orgUuid, uuid);
  return { streams, found, seal: (await cases.seal(orgUuid, uuid))! };
}

async function archiveOf(bench: Bench, sealed: Awaited<ReturnType<typeof sealedCase>>): Promise<Buffer> {
  const entries = await sealedEntries(bench.sources, sealed.found, sealed.seal);
  const zip = new ZipArchive(
    entries.map(({ read, ...entry }) => ({
      ...entry,
      modifiedEpochMs: CASES_START_MS,
      async *read() {
        for await (const bytes of read()) yield { buffers: [bytes], release: () => undefined };
      },
    })),
  );
  const blocks: Buffer[] = [];
  for await (const { buffers } of zip.read()) blocks.push(...buffers);
  const bytes = Buffer.concat(blocks);
  expect(bytes).toHaveLength(zip.byteLength);
  return bytes;
}

async function filesOf(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = await zipFiles({
    byteLength: archive.length,
    read: async (offset, length) => archive.subarray(offset, offset + length),
  });
  const read = async (name: string) => [name, Buffer.from((await files.read(name))!)] as const;
  return new Map(await Promise.all(files.names.map(read)));
}

function inMemory(files: ReadonlyMap<string, Buffer>): ArchiveFiles {
  return { names: [...files.keys()], read: async (name) => files.get(name) ?? null };
}

describe.each([false, true])('a sealed case, recordings encrypted: %s', (isEncrypted) => {
  it('is proved by its archive alone, and names the certificate', async () => {
    const bench = await casesBench({ isEncrypted });
    const sealed = await sealedCase(bench);
    expect(sealed.found.body).toMatchObject({ state: 'sealed', sealedBy: 'Ada', failureCode: null });
    const finding = await verifyArchive(inMemory(await filesOf(await archiveOf(bench, sealed))));
    expect(finding).toMatchObject({ isWhole: true, manifest: 'whole', title: 'Theft' });
    const media = finding.files.flatMap(({ media: each }) => each ?? []);
    expect(media.length).toBeGreaterThan(1);
    expect(media.reduce((sum, { segments }) => sum + segments, 0)).toBeGreaterThanOrEqual(12);
    for (const each of media)
      expect(each).toMatchObject({ changed: 0, unsigned: 0, unlinked: 0, problems: [] });
    expect(finding.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('finds one changed byte in each of its files, wherever it is', async () => {
    const bench = await casesBench({ isEncrypted });
    const files = await filesOf(await archiveOf(bench, await sealedCase(bench, 3)));
    const unseen: string[] = [];
    for (const [name, whole] of files) {
      const step = Math.max(1, Math.floor(whole.length / 40));
      for (let at = 0; at < whole.length; at += step) {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= 1;
        const finding = await verifyArchive(inMemory(new Map(files).set(name, bytes)));
        if (finding.isWhole) unseen.push(`${name} ${at}`);
      }
    }
    expect(unseen).toEqual([]);
  });

  it('finds what is missing, what was added, and a manifest that someone else signed', async () => {
    const bench = await casesBench({ isEncrypted });
    const files = await filesOf(await archiveOf(bench, await sealedCase(bench, 3)));
    for (const name of files.keys()) {
      const left = new Map(files);
      left.delete(name);
      expect((await verifyArchive(inMemory(left))).isWhole).toBe(false);
    }
    const more = new Map(files).set('media/extra.mp4', Buffer.from('x'));
    expect(await verifyArchive(inMemory(more))).toMatchObject({ isWhole: false });
    const other = await casesBench({ isEncrypted });
    await other.certificates.renew();
    const foreign = await filesOf(await archiveOf(other, await sealedCase(other, 3)));
    const mixed = new Map(files).set('manifest.jws', foreign.get('manifest.jws')!);
    expect(await verifyArchive(inMemory(mixed))).toMatchObject({ isWhole: false, manifest: 'changed' });
  });

  it('shows a recording that was changed before the case was sealed', async () => {
    const bench = await casesBench({ isEncrypted });
    const stream = await bench.record(5);
    const path = join(bench.folder, recordingName(stream, 0));
    const bytes = readFileSync(path);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(path, bytes);
    const { orgUuid, cases, sealer } = bench;
    const { uuid } = await cases.create(orgUuid, { title: 'Changed', number: '', notes: '' }, 'Ada');
    const thing = { cameraUuid: stream.cameraUuid, startMs: CASES_START_MS, endMs: CASES_START_MS + 60_000 };
    await cases.add(orgUuid, uuid, { thing, note: '', by: 'Ada', reader: newRuuid() });
    await sealer.seal(orgUuid, uuid, 'Ada');
    await sealer.settled();
    const { record: found } = await cases.find(orgUuid, uuid);
    const seal = (await cases.seal(orgUuid, uuid))!;
    const archive = await archiveOf(bench, { streams: [stream], found, seal });
    const finding = await verifyArchive(inMemory(await filesOf(archive)));
    expect(finding.isWhole).toBe(false);
    expect(finding.files.flatMap(({ media }) => media?.problems ?? [])).toHaveLength(1);
    // The signature says only who sealed it.
    expect(finding.manifest).toBe('whole');
  });
});
