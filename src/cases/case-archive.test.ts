import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { verifyArchive } from '../evidence/verify-archive.ts';
import { archiveOf, filesOf, inMemory, sealedCase } from '../front-door/files/archive-fixture.ts';
import { recordingName } from '../recording/segment-index.ts';
import { CASES_START_MS, casesBench } from './cases-fixture.ts';

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
    expect(finding.signer).toEqual({
      subject: expect.stringMatching(/^Sluice evidence [0-9a-f]{32}$/),
      // The first seal makes the certificate, in whole seconds.
      validFromMs: Math.floor(Date.parse(finding.sealedAt!) / 1_000) * 1_000,
    });
    expect(finding.generation).toBe(1);
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

  it('stays the same if more of its time is recorded after it was sealed', async () => {
    const bench = await casesBench({ isEncrypted });
    const sealed = await sealedCase(bench, 3);
    const before = await archiveOf(bench, sealed);
    await bench.record(3, sealed.streams[0]!.cameraUuid);
    expect((await archiveOf(bench, sealed)).equals(before)).toBe(true);
    // Someone who seals it again has more.
    await bench.cases.reopen(bench.orgUuid, sealed.found.uuid);
    await bench.sealer.seal(bench.orgUuid, sealed.found.uuid, 'Ada');
    await bench.sealer.settled();
    const { record: found } = await bench.cases.find(bench.orgUuid, sealed.found.uuid);
    const seal = (await bench.cases.seal(bench.orgUuid, found.uuid))!;
    expect((await archiveOf(bench, { found, seal })).length).toBeGreaterThan(before.length);
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
    const archive = await archiveOf(bench, { found, seal });
    const finding = await verifyArchive(inMemory(await filesOf(archive)));
    expect(finding.isWhole).toBe(false);
    expect(finding.files.flatMap(({ media }) => media?.problems ?? [])).toHaveLength(1);
    // The signature says only who sealed it.
    expect(finding.manifest).toBe('whole');
  });
});

describe('the check of an archive', () => {
  it('reads pieces of a few megabytes, however large the files are', async () => {
    const bench = await casesBench();
    const media = Buffer.alloc(9 * 1_048_576);
    const files = (await filesOf(await archiveOf(bench, await sealedCase(bench, 3)))).set('extra.bin', media);
    const listed = { name: 'extra.bin', bytes: media.length, sha256: 'f'.repeat(64) };
    const manifest = JSON.parse(files.get('manifest.json')!.toString()) as { files: object[] };
    manifest.files.push(listed);
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
    const lengths: number[] = [];
    const whole = inMemory(files);
    await verifyArchive({
      names: whole.names,
      async open(name) {
        const source = (await whole.open(name))!;
        const read = (offset: number, length: number) => {
          lengths.push(length);
          return source.read(offset, length);
        };
        return { byteLength: source.byteLength, read };
      },
    });
    expect(Math.max(...lengths)).toBe(4 * 1_048_576);
  });

  it('reports each changed byte of a manifest as such, also if it then has another form', async () => {
    const bench = await casesBench();
    const files = await filesOf(await archiveOf(bench, await sealedCase(bench, 1)));
    const whole = files.get('manifest.json')!;
    const signed = new Map([['manifest.jws', files.get('manifest.jws')!]]);
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1;
      const finding = await verifyArchive(inMemory(new Map(signed).set('manifest.json', bytes)));
      expect({ at, state: finding.manifest }).toEqual({ at, state: 'changed' });
    }
  });

  it('does not call changed what cannot be read', async () => {
    const bench = await casesBench();
    const files = inMemory(await filesOf(await archiveOf(bench, await sealedCase(bench, 1))));
    const open = async (name: string) => {
      if (name === 'events.json') throw new Error('The disk was removed.');
      return files.open(name);
    };
    const finding = await verifyArchive({ names: files.names, open });
    const { finding: found } = finding.files.find(({ name }) => name === 'events.json')!;
    expect({ found, isWhole: finding.isWhole }).toEqual({ found: 'unreadable', isWhole: false });
  });
});
