/** Cases over a real store and files that a recorder wrote, with signed links. */

import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { SigningCertificates } from '../evidence/signing-certificates.ts';
import { signingKey } from '../evidence/signing-key.ts';
import type { ReadJob } from '../playback/read-protocol.ts';
import { recordedMedia } from '../playback/recorded-media.ts';
import { DecryptingStorage } from '../recording/decrypting-storage.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { CountedNumbers } from '../recording/file-numbers.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { recordingOf } from '../recording/recording-catalog.ts';
import { RecordingKeys } from '../recording/recording-cipher.ts';
import { RecordingFinder } from '../recording/recording-finder.ts';
import { BOOT_ID, FakeStream, testFolder } from '../recording/recording-fixture.ts';
import { RecordingWriter } from '../recording/recording-writer.ts';
import { SegmentChain } from '../recording/segment-chain.ts';
import type { RecordedFile, RecordedStream } from '../recording/segment-index.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { ArchiveSources } from './case-archive.ts';
import { CaseSealer, type CaseSealerOptions } from './case-sealer.ts';
import { Cases } from './cases.ts';
import { Holds } from './holds.ts';

export const EVIDENCE_SECRET = Buffer.alloc(32, 9);
export const CASES_START_MS = Date.UTC(2026, 0, 1);

export async function casesBench({
  isEncrypted = false,
  freeBytes = null as number | null,
  verifyPage = async () => '<!doctype html>\n',
  timeStamps = null as CaseSealerOptions['timeStamps'],
} = {}) {
  const clock = new FakeClock(CASES_START_MS);
  const store = await openTestStore(clock);
  const orgUuid = newRuuid();
  await store.organizations.save(sampleOrganization({ uuid: orgUuid }));
  const folder = testFolder();
  const keys = new RecordingKeys(Buffer.alloc(32, 3));
  const storage = new DecryptingStorage(new FileStorage(folder, new FakeDisk()), keys);
  const certificates = new SigningCertificates({
    certificates: store.signingCertificates,
    secret: EVIDENCE_SECRET,
    clock,
  });
  const read = async (name: string, offset: number, length: number, isStored: boolean) => {
    const reader = await storage.open(name);
    const source = isStored ? (reader.stored ?? reader) : reader;
    return source.read(offset, length).finally(() => reader.close());
  };
  const finder = new RecordingFinder({ recordings: store.recordings, unlisted: () => [] });
  const reads = {
    read: ({ name, offset, length, isStored = false }: ReadJob) => read(name, offset, length, isStored),
    lend: async ({ name, offset, length }: ReadJob) => ({
      bytes: await read(name, offset, length, false),
      release: () => undefined,
    }),
  };
  const media = recordedMedia(finder, reads, clock);
  const sources: ArchiveSources = {
    media,
    clipFiles: async () => [],
    cameraName: async () => 'Front: desk/1',
  };
  const holds = new Holds({ store, clock, freeBytes: async () => freeBytes });
  const endedLinks: Ruuid[] = [];
  const cases = new Cases({
    store,
    holds,
    endLinks: async (_orgUuid, caseUuid) => void endedLinks.push(caseUuid),
    clock,
  });
  const sealer = new CaseSealer({
    store,
    cases,
    sourcesOf: () => sources,
    certificates,
    verifyPage,
    timeStamps,
    textsOf: async () => ({ 'events.json': '[]\n', 'views.json': '[]\n' }),
    clock,
    log: silentLog,
  });
  /** Records a camera for so many seconds. */
  const record = async (
    seconds: number,
    cameraUuid: Ruuid = newRuuid(),
    fileBytes = 60_000,
  ): Promise<RecordedStream> => {
    const stream = { cameraUuid, rendition: 'main' } as const;
    const files: RecordedFile[] = [];
    const writer = new RecordingWriter({
      stream,
      storage,
      limits: { fileBytes, syncIntervalMs: 5_000, minFreeBytes: 0 },
      bootId: BOOT_ID,
      numbers: new CountedNumbers((await store.recordings.numbers(stream)).length),
      keys: isEncrypted ? keys : null,
      chain: new SegmentChain(stream, () => signingKey(EVIDENCE_SECRET, 1)),
      clock,
      events: {
        onSegment: () => undefined,
        onFile: (file) => void files.push(file),
        onUnfinished: () => undefined,
        onState: () => undefined,
        onDropped: () => undefined,
      },
    });
    for (const { part, bytes } of new FakeStream(clock).segments(seconds)) await writer.write(part, bytes);
    await writer.close();
    for (const file of files) await store.recordings.save(recordingOf(file));
    return stream;
  };
  return {
    clock,
    store,
    orgUuid,
    folder,
    storage,
    certificates,
    sources,
    holds,
    cases,
    endedLinks,
    sealer,
    record,
  };
}
