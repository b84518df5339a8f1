/**
 * Reads a Movie Box (ISO/IEC 14496-12 §8.2) of a fragmented file: the tracks we carry, and what their fragments
 * need. Tracks of other codecs are left out.
 */

import type { AacTrack, H264Track, QuarterTurns, Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { readFlacEntry, readOpusEntry } from './audio-entry-reader.ts';
import { BoxCursor, fourCc, fourCcText } from './box-reader.ts';
import { readQuarterTurns } from './display-matrix.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { readHevcEntry } from './hevc-sample-entry.ts';
import { readParameterSets, readVisualSampleEntry } from './visual-sample-entry.ts';

const MAX_TRACKS = 16;

const MVHD = fourCc('mvhd');
const TRAK = fourCc('trak');
const TKHD = fourCc('tkhd');
const EDTS = fourCc('edts');
const ELST = fourCc('elst');
const MDIA = fourCc('mdia');
const MDHD = fourCc('mdhd');
const MINF = fourCc('minf');
const STBL = fourCc('stbl');
const STSD = fourCc('stsd');
const AVC1 = fourCc('avc1');
const AVC3 = fourCc('avc3');
const AVCC = fourCc('avcC');
const HVC1 = fourCc('hvc1');
const HEV1 = fourCc('hev1');
const MP4A = fourCc('mp4a');
const FLAC = fourCc('fLaC');
const OPUS = fourCc('Opus');
const ESDS = fourCc('esds');
const WAVE = fourCc('wave');
const MVEX = fourCc('mvex');
const TREX = fourCc('trex');

/** Fixed fields before the child boxes of an audio sample entry: §12.2.3. */
const AUDIO_ENTRY_BYTES = 28;
const QUICKTIME_1_ENTRY_BYTES = 16;

/** ISO/IEC 14496-3 §1.6.3: 15 means that 24 bits of frequency follow, which none of our encoders writes. */
const EXPLICIT_FREQUENCY = 15;
/** ISO/IEC 14496-3 table 1.19. */
const CHANNELS_BY_CONFIGURATION = [0, 1, 2, 3, 4, 5, 6, 8];

/** ISO/IEC 14496-1 §7.2.2: tags of descriptors. */
const ES_DESCRIPTOR = 3;
const DECODER_CONFIG_DESCRIPTOR = 4;
const DECODER_SPECIFIC_INFO = 5;
const OBJECT_TYPE_MPEG4_AUDIO = 0x40;

/** A track and the defaults of its fragments (§8.8.3). */
export interface MovieTrack {
  readonly trackId: number;
  readonly track: Track;
  /** Added to the timestamps of fragments: what the edit list says about the start (§8.6.6). */
  readonly shiftTicks: number;
  readonly defaultDurationTicks: number;
  readonly defaultSizeBytes: number;
  readonly defaultFlags: number;
}

interface TrackDraft {
  trackId: number;
  turns: QuarterTurns;
  timescaleHz: number;
  /** Both parts of the edit list: a pause before the media, in the movie's time, and where the media begins. */
  emptyEditMovieTicks: number;
  mediaTimeTicks: number;
  entry: ((timescaleHz: number) => Track) | null;
}

interface FragmentDefaults {
  readonly durationTicks: number;
  readonly sizeBytes: number;
  readonly flags: number;
}

const NO_DEFAULTS: FragmentDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 };

/** `content` is what follows the box header, borrowed. Fails ISOBMFF_… */
export function readMovie(content: Uint8Array): MovieTrack[] {
  const drafts: TrackDraft[] = [];
  const defaults = new Map<number, FragmentDefaults>();
  let movieTimescaleHz = 0;
  const box = new BoxCursor(content, 0, content.length);
  while (box.next()) {
    if (box.type === MVHD) movieTimescaleHz = readTimescale(box);
    else if (box.type === TRAK) {
      if (drafts.length === MAX_TRACKS) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'trak' });
      drafts.push(readTrack(box.children()));
    } else if (box.type === MVEX) readMovieExtends(box.children(), defaults);
  }
  const tracks: MovieTrack[] = [];
  for (const draft of drafts) {
    if (draft.entry === null) continue;
    if (draft.timescaleHz === 0 || draft.trackId === 0) throw invalid('trak');
    if (draft.emptyEditMovieTicks > 0 && movieTimescaleHz === 0) throw missing('mvhd');
    const pauseTicks =
      movieTimescaleHz === 0 ? 0 : (draft.emptyEditMovieTicks * draft.timescaleHz) / movieTimescaleHz;
    const own = defaults.get(draft.trackId) ?? NO_DEFAULTS;
    tracks.push({
      trackId: draft.trackId,
      track: turned(draft.entry(draft.timescaleHz), draft.turns),
      shiftTicks: Math.round(pauseTicks) - draft.mediaTimeTicks,
      defaultDurationTicks: own.durationTicks,
      defaultSizeBytes: own.sizeBytes,
      defaultFlags: own.flags,
    });
  }
  return tracks;
}

function turned(track: Track, turns: QuarterTurns): Track {
  return track.kind === 'video' && turns !== 0 ? { ...track, turns } : track;
}

/** mvhd (§8.2.2) and mdhd (§8.4.2) begin the same way. */
function readTimescale(box: BoxCursor): number {
  const version = box.u8();
  box.skip(3 + (version === 1 ? 16 : 8));
  return box.u32();
}

function readTrack(box: BoxCursor): TrackDraft {
  const draft: TrackDraft = {
    trackId: 0,
    turns: 0,
    timescaleHz: 0,
    emptyEditMovieTicks: 0,
    mediaTimeTicks: 0,
    entry: null,
  };
  while (box.next()) {
    if (box.type === TKHD) {
      const version = box.u8();
      box.skip(3 + (version === 1 ? 16 : 8));
      draft.trackId = box.u32();
      box.skip(4 + (version === 1 ? 8 : 4)); // reserved, duration
      box.skip(8 + 8); // reserved; layer, alternate_group, volume, reserved
      draft.turns = readQuarterTurns(box);
    } else if (box.type === EDTS) {
      const edit = box.children();
      while (edit.next()) if (edit.type === ELST) readEditList(edit, draft);
    } else if (box.type === MDIA) readMedia(box.children(), draft);
  }
  return draft;
}

/** Only the start counts: an empty edit, then the first non-empty one. §8.6.6.3. */
function readEditList(box: BoxCursor, draft: TrackDraft): void {
  const version = box.u8();
  box.skip(3);
  const count = box.u32();
  for (let index = 0; index < count; index++) {
    const durationTicks = version === 1 ? box.u64() : box.u32();
    const high = version === 1 ? box.i32() : 0;
    const low = version === 1 ? box.u32() : box.i32();
    const mediaTimeTicks = version === 1 ? high * 2 ** 32 + low : low;
    box.skip(4);
    if (mediaTimeTicks >= 0) {
      if (!Number.isSafeInteger(mediaTimeTicks)) throw invalid('elst');
      draft.mediaTimeTicks = mediaTimeTicks;
      return;
    }
    draft.emptyEditMovieTicks += durationTicks;
  }
}

function readMedia(box: BoxCursor, draft: TrackDraft): void {
  while (box.next()) {
    if (box.type === MDHD) draft.timescaleHz = readTimescale(box);
    else if (box.type === MINF) {
      const information = box.children();
      while (information.next()) {
        if (information.type !== STBL) continue;
        const table = information.children();
        while (table.next()) if (table.type === STSD) readSampleDescriptions(table, draft);
      }
    }
  }
}

/** The first description counts: a live muxer writes only one. §8.5.2. */
function readSampleDescriptions(box: BoxCursor, draft: TrackDraft): void {
  box.skip(8);
  const entry = box.children();
  if (!entry.next()) throw missing('stsd entry');
  if (entry.type === AVC1 || entry.type === AVC3) draft.entry = readAvcEntry(entry);
  else if (entry.type === HVC1 || entry.type === HEV1) draft.entry = readHevcEntry(entry);
  else if (entry.type === MP4A) draft.entry = readMp4aEntry(entry);
  else if (entry.type === FLAC) draft.entry = readFlacEntry(entry);
  else if (entry.type === OPUS) draft.entry = readOpusEntry(entry);
}

/** ISO/IEC 14496-15 §5.4.2. Size and profile come from here, as the encoder's muxer determined them. */
function readAvcEntry(entry: BoxCursor): (timescaleHz: number) => H264Track {
  const entryName = fourCcText(entry.type);
  const { widthPx, heightPx } = readVisualSampleEntry(entry);
  const box = entry.children();
  while (box.next()) {
    if (box.type !== AVCC) continue;
    const { sps, pps } = readAvcConfiguration(box);
    const first = sps[0];
    if (first === undefined || first.length < 4 || widthPx === 0 || heightPx === 0) throw invalid('avcC');
    const codecString = `${entryName}.${Buffer.from(first.subarray(1, 4)).toString('hex')}`;
    return (timescaleHz) => ({
      kind: 'video',
      codec: 'h264',
      timescaleHz,
      sps,
      pps,
      widthPx,
      heightPx,
      nominalFrameRateHz: null,
      codecString,
    });
  }
  throw missing('avcC');
}

/** ISO/IEC 14496-15 §5.3.3. Fails unless NAL unit lengths have four bytes, as all muxers write them. */
function readAvcConfiguration(box: BoxCursor): { sps: Uint8Array[]; pps: Uint8Array[] } {
  box.skip(4);
  if ((box.u8() & 3) + 1 !== 4) throw invalid('avcC');
  const sps = readParameterSets(box, box.u8() & 0x1f);
  const pps = readParameterSets(box, box.u8());
  return { sps, pps };
}

/** ISO/IEC 14496-14 §5.6. null: not AAC, but MP3 for example. */
function readMp4aEntry(entry: BoxCursor): ((timescaleHz: number) => AacTrack) | null {
  entry.skip(8);
  const quickTimeVersion = entry.u16();
  entry.skip(AUDIO_ENTRY_BYTES - 10);
  // QuickTime File Format, "Sound Sample Description (Version 1)": four more fields, and the esds is inside a `wave`.
  if (quickTimeVersion === 1) entry.skip(QUICKTIME_1_ENTRY_BYTES);
  const esds = findEsds(entry.children());
  if (esds === null) throw missing('esds');
  const config = readDecoderSpecificInfo(esds);
  return config === null ? null : (timescaleHz) => aacTrack(config, timescaleHz);
}

function findEsds(box: BoxCursor): BoxCursor | null {
  while (box.next()) {
    if (box.type === ESDS) return box;
    const inside = box.type === WAVE ? findEsds(box.children()) : null;
    if (inside !== null) return inside;
  }
  return null;
}

/**
 * ISO/IEC 14496-3 §1.6.2.1: 5 bits of object type, 4 of sampling frequency, 4 of channels, then 1 that means 960
 * samples instead of 1024. The sample entry's channel count does not help: muxers always write 2.
 */
function aacTrack(config: Uint8Array, timescaleHz: number): AacTrack {
  if (config.length < 2) throw invalid('esds');
  const objectType = config[0]! >> 3;
  const frequencyIndex = ((config[0]! & 7) << 1) | (config[1]! >> 7);
  const channelConfiguration = (config[1]! >> 3) & 15;
  const channelCount = CHANNELS_BY_CONFIGURATION[channelConfiguration] ?? 0;
  if (frequencyIndex === EXPLICIT_FREQUENCY || channelCount === 0) throw invalid('esds');
  return {
    kind: 'audio',
    codec: 'aac',
    timescaleHz,
    audioSpecificConfig: config,
    sampleRateHz: timescaleHz,
    channelCount,
    samplesPerFrame: (config[1]! & 4) !== 0 ? 960 : 1_024,
    codecString: `mp4a.40.${objectType}`,
  };
}

/** Descends ES_Descriptor › DecoderConfigDescriptor › DecoderSpecificInfo. ISO/IEC 14496-1 §7.2.6. null: not AAC. */
function readDecoderSpecificInfo(box: BoxCursor): Uint8Array | null {
  box.skip(4);
  while (box.left > 0) {
    const tag = box.u8();
    const length = readDescriptorLength(box);
    if (tag === ES_DESCRIPTOR) {
      box.skip(2);
      const flags = box.u8();
      if ((flags & 0x80) !== 0) box.skip(2);
      if ((flags & 0x40) !== 0) box.skip(box.u8());
      if ((flags & 0x20) !== 0) box.skip(2);
    } else if (tag === DECODER_CONFIG_DESCRIPTOR) {
      if (box.u8() !== OBJECT_TYPE_MPEG4_AUDIO) return null;
      box.skip(12);
    } else if (tag === DECODER_SPECIFIC_INFO) {
      return new Uint8Array(box.view(length));
    } else {
      box.skip(length);
    }
  }
  throw missing('DecoderSpecificInfo');
}

/** Seven bits per byte, at most four bytes. ISO/IEC 14496-1 §8.3.3. */
function readDescriptorLength(box: BoxCursor): number {
  let length = 0;
  for (let index = 0; index < 4; index++) {
    const byte = box.u8();
    length = (length << 7) | (byte & 0x7f);
    if (byte < 0x80) return length;
  }
  throw invalid('esds');
}

function readMovieExtends(box: BoxCursor, defaults: Map<number, FragmentDefaults>): void {
  while (box.next()) {
    if (box.type !== TREX) continue;
    box.skip(4);
    const trackId = box.u32();
    box.skip(4);
    if (defaults.size === MAX_TRACKS) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'trex' });
    defaults.set(trackId, { durationTicks: box.u32(), sizeBytes: box.u32(), flags: box.u32() });
  }
}

function missing(box: string): GatewayError {
  return new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box });
}

function invalid(box: string): GatewayError {
  return new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box });
}
