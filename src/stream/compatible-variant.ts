/**
 * H.264 for players that cannot decode what the camera sends (docs/design/engines.md#h264-for-viewers-without-h265):
 * the substream if that is H.264, otherwise the main stream transcoded. Nothing is transcoded before a viewer asks for it,
 * so until then the Multivariant Playlist says what the encoder will make.
 */

import type { MediaPlaylistName } from '../hls/media-names.ts';
import { renderMultivariantPlaylist, type VariantStream } from '../hls/multivariant-playlist.ts';
import type { H264Origin, VideoRequest } from './media/live-media.ts';
import type { ProfileStream } from './profile-stream.ts';
import type { Source } from './source/source.ts';
import type { UnitFeed } from './source/unit-feed.ts';
import type { RenditionProperties } from './window/rendition-properties.ts';

/** Makes H.264 of a camera's main stream. */
export interface CompatibleEncoder {
  /** Opened while someone watches it, and only then. */
  source(main: UnitFeed): Source;
  /** Properties of its output for a stream; null: the stream has no video. */
  propertiesOf(main: RenditionProperties): RenditionProperties | null;
}

export interface VariantsOptions {
  /** As in LiveCamera.multivariantPlaylist. */
  readonly prefix: string;
  readonly name: MediaPlaylistName;
  readonly main: RenditionProperties;
  /** A player can begin with the first part of the main stream's segment with this number; null: of none. */
  readonly beginningMsn: number | null;
  /** null: there is none, or it is not playing. */
  readonly sub: RenditionProperties | null;
  /** The video that is, or would be, transcoded; null: the gateway has no encoder. */
  readonly made: RenditionProperties | null;
}

/** The beginning of the RFC 6381 names of H.264. */
const H264_CODEC = /^avc[13]\./;

/** The Multivariant Playlist of the streams that `video` allows, or of all if it allows none. */
export function variantPlaylist(
  { prefix, name, main, beginningMsn, sub, made }: VariantsOptions,
  video: VideoRequest,
): string {
  const whole = { uri: prefix + name, ...main };
  if (video === 'main' && name === 'stream.m3u8' && beginningMsn !== null) {
    const piecewise = { ...whole, uri: `${whole.uri}?first=${beginningMsn}` };
    return renderMultivariantPlaylist([piecewise], undefined, false);
  }
  if (video === 'main') return renderMultivariantPlaylist([whole]);
  const variants: VariantStream[] = [whole];
  if (sub !== null) variants.push({ uri: `${prefix}sub/${name}`, ...sub });
  if (video === 'sub') return renderMultivariantPlaylist(variants.slice(-1));
  if (made !== null && !variants.some(isH264)) variants.push({ uri: `${prefix}h264/${name}`, ...made });
  const wanted = video === 'h264' ? variants.filter(isH264) : variants;
  return renderMultivariantPlaylist(wanted.length === 0 ? variants : wanted);
}

/** As LiveCamera.hasCompatibleStream. */
export function hasCompatible(
  main: ProfileStream,
  sub: ProfileStream | null,
  hasEncoder: boolean,
): boolean | null {
  if (main.hasPicture === false) return false;
  const codec = main.videoCodec;
  if (codec === null || codec === 'h264') return codec === null ? null : false;
  return hasEncoder || sub?.videoCodec === 'h264';
}

/** As LiveCamera.h264From. A substream in H.264 counts unless it is offline or never came. */
export function h264Origin(
  main: ProfileStream,
  sub: ProfileStream | null,
  hasEncoder: boolean,
): H264Origin | null {
  if (main.hasPicture === false) return 'nowhere';
  const codec = main.videoCodec;
  if (codec === null) return null;
  if (codec === 'h264') return 'camera';
  const isSubThere = sub !== null && sub.state().state !== 'offline';
  const isSubComing = isSubThere && (sub.renditions.isPlayable('silent') || sub.isExpected('silent'));
  if (isSubComing && sub.videoCodec === 'h264') return 'camera';
  return hasEncoder ? 'transcoder' : 'nowhere';
}

function isH264({ codecs }: VariantStream): boolean {
  return codecs.some((codec) => H264_CODEC.test(codec));
}
