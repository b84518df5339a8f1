/** The archive of a sealed case, as someone has saved it. */

import { sealedEntries } from '../../cases/case-archive.ts';
import { CASES_START_MS, type casesBench } from '../../cases/cases-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { ArchiveFiles } from '../../evidence/verify-archive.ts';
import { zipFiles } from '../../evidence/zip-files.ts';
import { ZipArchive } from './zip-archive.ts';

type Bench = Awaited<ReturnType<typeof casesBench>>;

/** A sealed case of two cameras that were recorded for so many seconds. */
export async function sealedCase(bench: Bench, seconds = 6) {
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

/** The bytes of the ZIP file. */
export async function archiveOf(
  { sources }: Pick<Bench, 'sources'>,
  { found, seal }: Pick<Awaited<ReturnType<typeof sealedCase>>, 'found' | 'seal'>,
): Promise<Buffer> {
  const entries = await sealedEntries(sources, found, seal);
  return zipOf(
    entries.map(({ read, ...entry }) => ({
      ...entry,
      async *read() {
        for await (const bytes of read()) yield { buffers: [bytes], release: () => undefined };
      },
    })),
  );
}

/** Files of these names, in this order. */
export function archiveOfFiles(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  return zipOf(
    [...files].map(([name, bytes]) => ({
      name,
      byteLength: bytes.length,
      digest: '',
      crc32: null,
      async *read() {
        yield { buffers: [bytes], release: () => undefined };
      },
    })),
  );
}

export async function filesOf(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = await zipFiles({
    byteLength: archive.length,
    read: async (offset, length) => archive.subarray(offset, offset + length),
  });
  const read = async (name: string) => {
    const source = (await files.open(name))!;
    return [name, Buffer.from(await source.read(0, source.byteLength))] as const;
  };
  return new Map(await Promise.all(files.names.map(read)));
}

export function inMemory(files: ReadonlyMap<string, Buffer>): ArchiveFiles {
  return {
    names: [...files.keys()],
    async open(name) {
      const bytes = files.get(name);
      if (bytes === undefined) return null;
      const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
      return { byteLength: bytes.length, read };
    },
  };
}

async function zipOf(
  entries: readonly Omit<ConstructorParameters<typeof ZipArchive>[0][number], 'modifiedEpochMs'>[],
): Promise<Buffer> {
  const zip = new ZipArchive(entries.map((entry) => ({ ...entry, modifiedEpochMs: CASES_START_MS })));
  const blocks: Buffer[] = [];
  for await (const { buffers } of zip.read()) blocks.push(...buffers);
  const bytes = Buffer.concat(blocks);
  if (bytes.length !== zip.byteLength) throw new RangeError('the archive has another length than announced');
  return bytes;
}
