/**
 * Bounds on what organizations share, and on what each can store, are declared in one place (docs/design/limits.md). Code that
 * compares its own state with a constant of its own fails here, unless the constant is listed with the reason why nobody shares it.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
/** A number of its own, or a room with one. */
const BOUND_OF_ORGANIZATION = /const MAX_\w*_PER_ORG = [\d_]+;|atMost: [\d_]+/g;
/** Parsers and writers of formats: what they hold is of one message, one file or one stream. */
const FORMATS = /^(?:bytes|sdp|rtsp|rtp|flv|onvif|codec|isobmff|cmaf|hls|dash)\//;
/** `this.#state`, a size or a count, compared with a constant. */
const COMPARISON =
  /(?:this\.#\w+(?:\.\w+)*|\b(?:count|size|own|fromHere|waiting|of[A-Z]\w*))(?: [+-] [\w.#]+)? (?:>=|>|<=|<|===) (MAX_\w+)/g;
/** What someone can have of something, however it is compared. */
const SHARE = /const (MAX_\w*_PER_(?:ORG|ADDRESS|KEY|LINK|VIEWER|CREDENTIAL|SHARE))\b/g;
const FROM_REGISTRY = /const (MAX_\w+) =\s+LIMITS\./g;

describe('the registry of limits', () => {
  const sources = globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !/\.test\.ts$|-contract\.ts$|-fixture\.ts$|(?:^|\/)fake-/.test(file))
    .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }));

  it('alone says how many of something an organization can have', () => {
    expect(sources.map(({ file }) => file)).toContain('core/limits/registry.ts');
    const found = sources.flatMap(({ file, text }) =>
      [...text.matchAll(BOUND_OF_ORGANIZATION)].map(([bound]) => `${file}: ${bound}`),
    );
    expect(found).toEqual([]);
  });

  it('has each bound on what organizations share', () => {
    const listed = Object.values(NOT_FROM_REGISTRY).flat();
    const found = sources.filter(({ file }) => !FORMATS.test(file)).flatMap(boundsOf);
    expect(found.filter((each) => !listed.includes(each))).toEqual([]);
    // What is gone, or shared out, is not listed anymore.
    expect(listed.filter((each) => !found.includes(each))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

/** `file CONSTANT`, except for times. */
function boundsOf({ file, text }: { readonly file: string; readonly text: string }): string[] {
  const namesOf = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name!);
  const names = new Set([...namesOf(COMPARISON), ...namesOf(SHARE)]);
  for (const name of namesOf(FROM_REGISTRY)) names.delete(name);
  return [...names].filter((name) => !name.endsWith('_MS')).map((name) => `${file} ${name}`);
}

/** By reason. Whoever adds one says why no organization can take it from another, or declares it in the registry. */
const NOT_FROM_REGISTRY: Readonly<Record<string, readonly string[]>> = {
  'a cache: an entry that goes is made again, and costs its maker no more than the first time': [
    'accounts/console-session.ts MAX_NOTED',
    'core/accept-encoding.ts MAX_KNOWN_HEADERS',
    'front-door/files/recent-reads.ts MAX_KNOWN_READS',
    'mail/smtp-client.ts MAX_KEPT',
    'names/name-resolver.ts MAX_KEPT_NAMES',
    'names/text-records.ts MAX_KEPT_NAMES',
    'playback/remembered-runs.ts MAX_KNOWN_RUNS',
    'playback/range-movies.ts MAX_KEPT_BYTES',
    'playback/range-movies.ts MAX_KEPT_MOVIES',
    'playback/recorded-hours.ts MAX_KNOWN_CAMERAS',
    'playback/timeline-cache.ts MAX_CACHED_SEGMENTS',
    'playback/timeline-cache.ts MAX_CACHED_TIMELINES',
    'recording/decrypting-storage.ts MAX_CIPHERS',
    'recording/s3-storage.ts MAX_LENGTHS',
    'sharing/share-token.ts MAX_KNOWN_TOKENS',
    'store/postgres/statement-names.ts MAX_NAMES',
    'store/repositories/reporting-devices.ts MAX_KEPT_KEYS',
    'store/scope-views.ts MAX_ORGANIZATIONS',
    'store/scope-views.ts MAX_VIEWS',
    'store/sqlite/database-connection.ts MAX_PREPARED_STATEMENTS',
    'thumbnails/stills.ts MAX_CACHED_BYTES',
    'thumbnails/stills.ts MAX_CACHED_STILLS',
    'thumbnails/stills.ts MAX_CAMERAS',
    'webhooks/oauth-client-tokens.ts MAX_KEPT_TOKENS',
  ],
  'of one connection, request, link, process or probe': [
    'cases/case-media.ts MAX_MEMBER_BYTES',
    'evidence/verify-media.ts MAX_PROBLEMS',
    'evidence/zip-files.ts MAX_16',
    'evidence/zip-files.ts MAX_32',
    'cluster/feeds/node-feed.ts MAX_WAITING_BYTES',
    'cluster/links/outgoing-frames.ts MAX_SPARES',
    'ffmpeg/segment-encoder.ts MAX_ENCODED_BYTES',
    'ffmpeg/stderr-tail.ts MAX_LINES',
    'scim/scim-filter.ts MAX_DEPTH',
    'scim/scim-filter.ts MAX_TERMS',
    'front-door/rtsp/rtsp-connection.ts MAX_BYTES_PER_LOOK',
    'front-door/rtsp/rtsp-connection.ts MAX_REQUESTS_PER_LOOK',
    'front-door/rtsp/rtsp-connection.ts MAX_WAITING_REQUESTS',
    'front-door/sockets/live-socket.ts MAX_FRAMES_PER_LOOK',
    'front-door/sockets/live-socket.ts MAX_MESSAGES_PER_LOOK',
    'front-door/sounds/talk-desk.ts MAX_MALFORMED',
    'sources/talk/rtsp-speaker.ts MAX_EARLY_FRAMES',
    'front-door/rtsp/rtsp-view.ts MAX_QUEUED_BYTES',
    'front-door/uploads/upload-locks.ts MAX_WAITING',
    'notifications/alert-inbox.ts MAX_COUNTED_ALERTS',
    'playback/movie-side.ts MAX_OPEN_FILES',
    'realtime/stomp-parser.ts MAX_STOMP_BODY_BYTES',
    'realtime/stomp-parser.ts MAX_STOMP_HEAD_BYTES',
    'realtime/stomp-session.ts MAX_SUBSCRIPTIONS',
    'sharing/share-viewers.ts MAX_LISTED_VIEWERS',
    'sources/direct/direct-rtsp-source.ts MAX_REDIRECTS',
    'sources/direct/rtsp-connection.ts MAX_TURN_BYTES',
    'sources/direct/rtsp-connection.ts MAX_UNSENT_BYTES',
    'devices/onvif/ws-discovery.ts MAX_FOUND',
    'sources/rtmp/guarded-rtmp.ts MAX_BYTES_BEFORE_PUBLISH',
    'sources/rtmp/guarded-rtmp.ts MAX_CHUNK_STREAMS',
    'sources/rtmp/guarded-rtmp.ts MAX_COMMANDS',
    'sources/rtmp/publish-connection.ts MAX_TURN_BYTES',
    'sources/rtmp/publish-connection.ts MAX_UNSENT_BYTES',
    'synthetic-camera/camera-connection.ts MAX_UNSENT_BYTES',
    'saml/response-verifier.ts MAX_ATTRIBUTES',
    'saml/saml-xml.ts MAX_ELEMENTS',
  ],
  'of one camera or one stream': [
    'cluster/local-stream/held-units.ts MAX_BYTES',
    'cluster/local-stream/pull-pair.ts MAX_REPORTS',
    'cluster/local-stream/stream-cut.ts MAX_UNKNOWN',
    'devices/custom-seek-points.ts MAX_SEEK_POINTS_PER_CAMERA',
    'devices/ptz-camera.ts MAX_WAITING',
    'events/camera-activity.ts MAX_SOURCES',
    'recorders/recorder-past.ts MAX_FIRST_KEYS',
    'stream/source/flood-guard.ts MAX_WINDOW_BYTES',
    'stream/source/flood-guard.ts MAX_WINDOW_PACKETS',
    'sources/hls/fragment-relay.ts MAX_SEGMENT_SAMPLES',
    'sources/hls/playlist-cursor.ts MAX_STALE_PLAYLISTS',
    'sources/hls/playlist-pull.ts MAX_FAILURES',
    'sources/hls/segment-timeline.ts MAX_STRETCHES',
    'sources/hls/sound-relay.ts MAX_HELD_SEGMENTS',
    'sources/hls/sound-relay.ts MAX_SEGMENT_SAMPLES',
    'sources/login-guard.ts MAX_LOGIN_TRIES',
    'sources/login-guard.ts MAX_PATHS_PER_ACCOUNT',
    'devices/onvif/onvif-client.ts MAX_CHALLENGES',
    'sources/rtmp/in-band-sets.ts MAX_PPS',
    'sources/sound/sample-times.ts MAX_ANCHORS',
    'sources/threaded/unit-group.ts MAX_GROUP_PICTURES',
    'sources/transcode/transcoded-source.ts MAX_FRAMES',
    'stream/pictures/picture-group.ts MAX_GROUP_BYTES',
    'stream/pictures/picture-group.ts MAX_GROUP_PICTURES',
    'stream/window/window-segments.ts MAX_LISTED_SEGMENTS',
    'thumbnails/stills.ts MAX_KINDS_PER_CAMERA',
    'thumbnails/stills.ts MAX_WAITING_PER_CAMERA',
  ],
  'of one file, playlist, schedule or sentence': [
    'notifications/digest-writer.ts MAX_PICTURES',
    'core/ineffective-values.ts MAX_NAMED',
    'core/shown-name.ts MAX_SHOWN_LENGTH',
    'core/unknown-fields.ts MAX_NAMED',
    'playback/past-variants.ts MAX_FILLS',
    'sharing/schedule-states.ts MAX_ZONES',
    'sources/hls/playlist-sieve.ts MAX_ATTRIBUTES',
    'sources/hls/playlist-variables.ts MAX_SUBSTITUTED_CHARS',
    'sources/hls/playlist-variables.ts MAX_VARIABLES',
  ],
  'of one viewer, or one address within a link': [
    'front-door/response/media-responses.ts MAX_RESPONSES_PER_VIEWER',
    'front-door/response/media-responses.ts MAX_LENT_BYTES_PER_VIEWER',
    'sharing/share-audience.ts MAX_COUNTED_PER_ADDRESS',
    'sharing/share-audience.ts MAX_NEW_VIEWERS_PER_ADDRESS',
  ],
  'each organization has as many, and they are not declared as rows yet': [
    'sharing/ended-views.ts MAX_BLOCKED_ADDRESSES',
    'sharing/ended-views.ts MAX_ENDED_VIEWERS',
  ],
  'the operator’s own: configuration, certificates, checks and probes': [
    'app/config/check-config.ts MAX_LISTED_NAMES',
    'app/config/load-config.ts MAX_FILE_BYTES',
    'connections/acme/challenge-responder.ts MAX_PENDING',
    'connections/certificate.ts MAX_PEM_BYTES',
    'service-levels/player-model.ts MAX_DELAYS',
    'service-levels/probe-connections.ts MAX_ORIGINS',
    'system/public-url-visits.ts MAX_PUBLIC_URL_CHECKS',
    'system/public-url-visits.ts MAX_VISITORS',
  ],
  'between nodes, or between a gateway and its own processes: nobody else can connect': [
    'cluster/nodes/camera-leases.ts MAX_SILENT_RUNS',
    'cluster/links/link-handlers.ts MAX_LOGGED_KINDS',
    'cluster/links/node-links.ts MAX_IDLE_ENTRIES',
    'cluster/mirror/owner-desk.ts MAX_SUBSCRIPTIONS',
    'ffmpeg/spawner.ts MAX_UNKNOWN_CONNECTIONS',
  ],
  'never reached: pools of the registry that come before it allow fewer': [
    'playback/movie-maker.ts MAX_WAITING_MOVIES',
  ],
  'what works once: pushing one out helps only its own holder, and the provider also accepts it once': [
    'oidc/sign-in-attempt.ts MAX_USED',
  ],
  'arrivals of which the oldest makes room, as in Arrivals': [
    'connections/acme/challenge-responder.ts MAX_CONNECTIONS',
  ],
  'lines of the log and of the audit trail: what goes is only merged less': [
    'audit/viewing-merger.ts MAX_GROWING_ROWS',
    'audit/viewing-merger.ts MAX_NAMED_PROGRAMS',
    'clips/alert-clips.ts MAX_EXCEEDING',
    'core/merged-lines.ts MAX_MERGED_KEYS',
    'front-door/session/opening-log.ts MAX_WARNED_PROXIES',
  ],
  'between threads and nodes: what does not fit is sent again as a whole, or is in the log': [
    'threads/outbox.ts MAX_WAITING',
    'cluster/feeds/node-feed.ts MAX_CHANGED',
  ],
  // Requests of one organization are far fewer (apiRequests, failedAuthentications). Beyond it, each process counts for itself.
  'of the process: what ends access is never refused, and what is costs no one else': [
    'counters/redis-link.ts MAX_WORK_UNDER_WAY',
    'store/postgres/postgres-executor.ts MAX_WAITING_REQUESTS',
    'store/sqlite/sqlite-executor.ts MAX_WAITING_REQUESTS',
  ],
  'only as long as the store or the disk fails for all': [
    'clips/clip-file-deletion.ts MAX_UNDELETED',
    'recording/recording-catalog.ts MAX_UNSAVED_FILES',
  ],
};
