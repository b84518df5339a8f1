/** After a kill: everything acknowledged is there and reads back right; nothing half-written is served. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClipLibrary } from '../../../src/clips/clip-library.ts';
import { clipSegments, clipTracks } from '../../../src/cmaf/clip-segments.ts';
import { newRuuid, parseDeviceFacetUuid, type Ruuid } from '../../../src/core/ruuid.ts';
import { reportedClipUuid, SAVED_CLIPS, type SavedClip } from '../../../src/events/saved-clips.ts';
import { readClip } from '../../../src/isobmff/clip-reader.ts';
import type { RecordedStream } from '../../../src/recording/segment-index.ts';
import { uploadUuid } from '../../../src/uploads/clip-claims.ts';
import { memorySource } from '../clip-files.ts';
import {
  type Acknowledgement,
  clipStartMs,
  type Ground,
  ROUND_MS,
  type Round,
  roundFromMs,
} from './acknowledged.ts';
import { RecordedParts } from './recorded-parts.ts';
import type { Rooms } from './rooms.ts';
import { claimsOf, receiveRest } from './upload-clip.ts';

/** Clips of the trial are for the whole organization. */
const READER = newRuuid();
const FRAMES_PER_STEP = 25;
/** Times of uploaded clips are this far apart. */
const CLIP_ROOM_MS = 20_000;
const SETTLE_MS = 20_000;
const POLL_MS = 10;

type Acknowledged<What extends Acknowledgement['what']> = Extract<Acknowledgement, { what: What }>;

export function sha256(bytes: Uint8Array | readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const each of bytes instanceof Uint8Array ? [bytes] : bytes) hash.update(each);
  return hash.digest('hex');
}

export class Checks {
  readonly faults: string[] = [];
  checked = 0;
  readonly #rooms: Rooms;
  readonly #ground: Ground;
  readonly #before: readonly Round[];

  constructor(rooms: Rooms, ground: Ground, before: readonly Round[]) {
    this.#rooms = rooms;
    this.#ground = ground;
    this.#before = before;
  }

  /** Right after the repairs, all served media are whole. */
  async atOnce(): Promise<void> {
    for (const round of this.#before) await this.#recorded(round);
    for (const clip of await this.#clipsOf(this.#before)) await this.#servedWhole(clip);
  }

  /** Interrupted work continues, and comes to its end. */
  async afterwards(): Promise<void> {
    const { store, uploads, clips, spoolFolder } = this.#rooms;
    for (const round of this.#before) {
      for (const [clipId, upTo] of clipsInProgress(round)) await this.#uploaded(clipId, upTo);
    }
    // The upload was announced, and the process was killed before it acknowledged that.
    for (const { clipId } of await store.uploads.unfinished()) {
      await receiveRest(this.#rooms, this.#ground, clipId, () => undefined);
    }
    const deadlineMs = Date.now() + SETTLE_MS;
    while (uploads.unfinished > 0 || (await clips.inProgress(this.#ground.orgUuid, READER)).length > 0) {
      if (Date.now() > deadlineMs) {
        this.#expect('what was interrupted is finished', false);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    for (const clip of await this.#clipsOf(this.#before)) {
      this.#expect(`clip ${clip.uuid} is complete, not ${clip.body.status}`, clip.body.status === 'COMPLETE');
      await this.#servedWhole(clip);
    }
    for (const order of of(this.#before, 'ordered')) {
      this.#expect(`ordered clip ${order.clipUuid} exists`, (await this.#find(order.clipUuid)) !== null);
    }
    for (const { clipUuid, sha256: sum } of of(this.#before, 'spliced')) {
      const clip = await this.#find(clipUuid);
      this.#expect(`clip ${clipUuid} is what it was`, clip?.body.sha256Hex === sum);
    }
    const spooled = existsSync(spoolFolder) ? readdirSync(spoolFolder) : [];
    this.#expect(`no uploads are left over: ${spooled.join(', ')}`, spooled.length === 0);
    await this.#noFilesWithoutClip();
  }

  async #recorded(round: Round): Promise<void> {
    const { catalog, past } = this.#rooms;
    const { number, acknowledged } = round;
    const fromMs = roundFromMs(this.#ground, number);
    const stream: RecordedStream = { cameraUuid: this.#ground.cameraUuid, rendition: 'main' };
    const media: Buffer[] = [];
    const sums = new Map<number, string>();
    for (const { name, segments } of await catalog.segments(stream, fromMs, fromMs + ROUND_MS / 2)) {
      for (const { offset, byteLength, epochMs } of segments) {
        const bytes = await past.read(name, offset, byteLength);
        media.push(bytes);
        sums.set(Math.round(epochMs), sha256(bytes));
      }
    }
    for (const acked of acknowledged) {
      if (acked.what !== 'segment') continue;
      const is = `segment at ${acked.epochMs - fromMs} ms of round ${number}`;
      this.#expect(`${is} reads back as it was listed`, sums.get(acked.epochMs) === acked.sha256);
    }
    this.#wholeParts(round, Buffer.concat(media));
  }

  /** The listed parts are those of the round, whole, from the first one to the last one that was written. */
  #wholeParts({ number, acknowledged }: Round, found: Buffer): void {
    const written = acknowledged.findLast(({ what }) => what === 'parts') as
      | Acknowledged<'parts'>
      | undefined;
    let at = 0;
    let parts = 0;
    let isSame = true;
    const recorded = new RecordedParts(this.#ground.clipPath, roundFromMs(this.#ground, number), (part) => {
      const bytes = part.bytes.join();
      part.bytes.release();
      if (at >= found.length || !isSame) return;
      isSame = found.subarray(at, at + bytes.length).equals(bytes);
      at += bytes.length;
      parts++;
    });
    while (at < found.length && isSame) recorded.push(FRAMES_PER_STEP);
    this.#expect(`round ${number} has whole parts only, the same ones`, isSame && at === found.length);
    const least = written?.count ?? 0;
    this.#expect(`round ${number} has ${parts} parts, ${least} were written`, parts >= least);
  }

  async #uploaded(clipId: string, { offset, isDone }: ClipProgress): Promise<void> {
    const { uploads, catalog, past } = this.#rooms;
    const { keyUuid, orgUuid, uploadingUuid } = this.#ground;
    const claims = claimsOf(this.#ground, clipId);
    const status = await uploads.announce({ keyUuid, orgUuid }, claims);
    this.#expect(`${clipId} is at ${status.offset}, ${offset} was acknowledged`, status.offset >= offset);
    const isAll = status.offset === claims.byteLength;
    if (isDone) this.#expect(`${clipId} is done`, isAll && status.upload.state === 'done');
    await receiveRest(this.#rooms, this.#ground, clipId, () => undefined);
    const stream: RecordedStream = { cameraUuid: uploadingUuid, rendition: 'uploaded' };
    const startMs = clipStartMs(this.#ground, clipId);
    const files = await catalog.segments(stream, startMs, startMs + CLIP_ROOM_MS);
    this.#expect(`${clipId} is one recording, not ${files.length}`, files.length === 1);
    const read: Buffer[] = [];
    for (const { name, segments } of files) {
      for (const { offset: from, byteLength } of segments) read.push(await past.read(name, from, byteLength));
    }
    this.#expect(`${clipId} is recorded as it was sent`, sha256(read) === sumOfClip(this.#ground.clipPath));
  }

  /** Every clip that can be sent has all its bytes, and every complete clip can be sent. */
  async #servedWhole({ uuid, orgUuid, body }: SavedClip): Promise<void> {
    const library = new ClipLibrary(this.#rooms.store.resources);
    for (const device of body.deviceUuids) {
      const found = await library.find(orgUuid, uuid, parseDeviceFacetUuid(device)!.uuid, READER);
      if (found === null) {
        this.#expect(`clip ${uuid} is complete and delivered`, body.status !== 'COMPLETE');
        continue;
      }
      const bytes = readFileSync(join(this.#rooms.media, found.file.name));
      this.#expect(`clip ${uuid} is whole`, sha256(bytes) === found.file.sha256Hex);
    }
  }

  async #noFilesWithoutClip(): Promise<void> {
    const folder = join(this.#rooms.media, 'clips');
    if (!existsSync(folder)) return;
    for (const uuid of readdirSync(folder)) {
      const files = readdirSync(join(folder, uuid));
      const isKnown = files.length === 0 || (await this.#find(uuid as Ruuid)) !== null;
      this.#expect(`the files of ${uuid} belong to a clip`, isKnown);
    }
  }

  async #clipsOf(rounds: readonly Round[]): Promise<SavedClip[]> {
    const { keyUuid, orgUuid } = this.#ground;
    const uuids = of(rounds, 'ordered').map(({ clipUuid }) => clipUuid);
    for (const round of rounds) {
      for (const clipId of clipsInProgress(round).keys()) {
        const upload = uploadUuid(keyUuid, claimsOf(this.#ground, clipId));
        uuids.push(reportedClipUuid(orgUuid, `upload ${upload}`));
      }
    }
    const found = await Promise.all(uuids.map((uuid) => this.#find(uuid)));
    return found.filter((clip) => clip !== null);
  }

  #find(uuid: Ruuid): Promise<SavedClip | null> {
    return this.#rooms.store.resources.of(SAVED_CLIPS).find(this.#ground.orgUuid, uuid);
  }

  #expect(sentence: string, isTrue: boolean): void {
    this.checked++;
    if (!isTrue) this.faults.push(`not so: ${sentence}`);
  }
}

export interface ClipProgress {
  readonly offset: number;
  readonly isDone: boolean;
}

/** Acknowledgements of each clip. */
export function clipsInProgress({ acknowledged }: Round): ReadonlyMap<string, ClipProgress> {
  const found = new Map<string, ClipProgress>();
  for (const each of acknowledged) {
    if (each.what === 'offset') found.set(each.clipId, { offset: each.offset, isDone: false });
    if (each.what === 'uploaded') {
      found.set(each.clipId, { offset: found.get(each.clipId)?.offset ?? 0, isDone: true });
    }
  }
  return found;
}

function of<What extends Acknowledgement['what']>(
  rounds: readonly Round[],
  what: What,
): Acknowledged<What>[] {
  return rounds.flatMap(({ acknowledged }) =>
    acknowledged.filter((each): each is Acknowledged<What> => each.what === what),
  );
}

const sums = new Map<string, string>();

/** Sum of the segments into which the file is cut. */
function sumOfClip(path: string): string {
  const known = sums.get(path);
  if (known !== undefined) return known;
  const source = memorySource(readFileSync(path));
  const segments = [...clipSegments(clipTracks(readClip(source)), source)].map(({ bytes }) => bytes);
  const sum = sha256(segments);
  sums.set(path, sum);
  return sum;
}
