/**
 * Plays one stream of a camera on a tile of a wall: by WebSocket and WebCodecs where the browser can, otherwise plain
 * HLS. Sixteen low-latency players would need more connections than browsers open to one host with HTTP/1.1: each always
 * waits for a playlist (docs/design/viewer-page.md#video-walls).
 */

import type { HlsConfig } from './hls.js';
import type { OpenShare } from './open.ts';
import type { PlayIntent } from './play-intent.ts';
import type { LivePlayer, PlayerEnd, PlayerEvents, RealTimeObstacle } from './playback.ts';
import { startHlsPlayer } from './player.ts';
import { canPlayRealTime, RealTimePlayer } from './real-time-player.ts';
import { FixedStream } from './stream-choice.ts';

export type TileStream = 'main' | 'sub';

/** Segments as a whole, and buffers as small as they can be. */
const TILE_HLS: Partial<HlsConfig> = {
  lowLatencyMode: false,
  liveSyncDurationCount: 2,
  backBufferLength: 0,
  maxBufferLength: 6,
  maxMaxBufferLength: 8,
  maxBufferSize: 8_000_000,
  startFragPrefetch: false,
};

/** Walls have no sound, and this camera has nothing else. */
const NO_PICTURE: PlayerEnd = {
  kind: 'refused',
  refusal: { reason: 'sound-only', untilEpochMs: null, retryAfterSec: null },
};

/** It did not work anywhere on this page, so no tile tries it again. */
let isRealTimeBroken = false;
let hasRealTimeWorked = false;

/** Starts to play, muted. Events come later, as from every player. */
export function startTilePlayer(
  video: HTMLVideoElement,
  share: OpenShare,
  stream: TileStream,
  intent: PlayIntent,
  events: PlayerEvents,
): LivePlayer {
  const isSub = stream === 'sub' && share.hasSubStream;
  const playHls = (): LivePlayer => {
    const own = new URL(isSub ? 'sub/file.m3u8' : 'file.m3u8', share.playlistUrl);
    const playlistUrl = share.isCompatible ? share.playlistUrl : own.href;
    return startHlsPlayer(video, { ...share, playlistUrl }, intent, events, TILE_HLS);
  };
  if (isRealTimeBroken || !canPlayRealTime()) return playHls();
  const watched: PlayerEvents = {
    ...events,
    onPicture() {
      hasRealTimeWorked = true;
      events.onPicture();
    },
  };
  const fallBack = (obstacle: RealTimeObstacle): void => {
    if (obstacle === 'no-picture') {
      events.onEnd(NO_PICTURE);
      return;
    }
    isRealTimeBroken = !hasRealTimeWorked;
    player.stop();
    player = playHls();
  };
  const choice = new FixedStream(isSub ? 'wsl' : 'ws');
  let player: LivePlayer = new RealTimePlayer(video, share, intent, watched, fallBack, choice);
  return {
    behindLiveSec: () => player.behindLiveSec(),
    pictureEpochMs: () => player.pictureEpochMs(),
    jumpToLive: () => player.jumpToLive(),
    stop: () => player.stop(),
  };
}
