import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { LevelBooks } from '../../service-levels/level-books.ts';
import { NOTHING_MEASURED } from '../../service-levels/measurement.ts';
import { createMetrics, type MetricsSources } from './metrics.ts';

const LEVELS = new LevelBooks(new FakeClock(), {
  ...{ firstPictureWithinMs: 1_500, firstPicturePercent: 99, delayWithinMs: 3_000, delayPercent: 99 },
  ...{ playedPercent: 99.9, answeredPercent: 99.9 },
});
LEVELS.add('probe', 's1' as Ruuid, {
  ...{ firstPictureMs: 420, isWithoutPicture: false, playedMs: 28_000, stalledMs: 2_000, stalls: 1 },
  ...{ delaysMs: [900, 1_200], requests: 200, errors: { 'status-5xx': 3 } },
});
LEVELS.add('probe', 's1' as Ruuid, { ...NOTHING_MEASURED, isWithoutPicture: true });
const RUN = { ...NOTHING_MEASURED, startedAtEpochMs: 0, isCold: false };

const SOURCES: MetricsSources = {
  service: {
    levels: LEVELS,
    probed: () => [
      {
        ...{ shareUuid: 's1' as Ruuid, orgUuid: 'o1' as Ruuid, name: 'Front desk', isRunning: true },
        endings: { played: 1, refused: 0, 'camera-offline': 0, 'sound-only': 0, failed: 1, lost: 0 },
        runs: [
          { ...RUN, outcome: 'failed', reason: 'certificate-expired', protocol: null },
          { ...RUN, outcome: 'played', reason: null, protocol: 'h2' },
        ],
      },
    ],
    process: () => ({ state: 'running', starts: 2 }),
    nameOf: () => 'Front desk',
  },
  cameras: () => [
    { state: 'live', cameras: 2 },
    { state: 'not-checked', cameras: 0 },
  ],
  offline: () => [
    {
      ...{
        camera: 'c2',
        name: 'Yard "2"',
        profile: 'main',
        reason: 'unreachable',
        code: 'DIRECT_UNREACHABLE',
      },
      ...{ host: '192.0.2.10', port: '554', errno: 'ECONNREFUSED' },
    },
  ],
  shares: () => [
    { share: 's1', name: 'Front desk', camera: 'c1', cameraName: 'Lobby', viewers: 3, sentBytes: 4_096 },
  ],
  clocks: () => [
    {
      ...{ camera: 'c1', name: 'Lobby', profile: 'main' },
      reading: {
        ...{ driftPpm: 14.5, driftUncertaintyPpm: 2, uncertaintyMs: 3, jumps: 1 },
        ...{ offsetMs: null, verdict: 'no-reports', cameraTime: null, reportedTime: null },
        soundDriftPpm: null,
      },
    },
  ],
  mediaBlocks: () => ({ used: 131_072, free: 65_536 }),
  renditions: () => [
    {
      ...{
        camera: 'c1',
        name: 'Lobby',
        rendition: 'main',
        isLive: true,
        frames: 5,
        droppedFrames: 0,
        joiningFrames: 3,
      },
      ...{ segments: 1, windowBytes: 9, overdueBytes: 0, instances: 1 },
    },
  ],
  recordings: () => [
    {
      ...{ camera: 'c1', name: 'Lobby', rendition: 'main', isRecording: true, hasFailed: false },
      ...{ segments: 7, droppedSegments: 2, byteLength: 700 },
    },
  ],
  recorder: () => ({ waitingBytes: 11, deletedFiles: 13, isUploadFailing: true, isClipUploadFailing: true }),
  uploads: () => ({
    ...{ running: 2, unfinished: 5, receivedBytes: 900, imported: 6 },
    failures: [
      { reason: 'UPLOAD_DAMAGED', count: 4 },
      { reason: 'UPLOAD_TOO_MANY', count: 1 },
    ],
  }),
  spool: () => ({ byteLength: 700, oldestAgeSec: 61 }),
  viewers: () => 3,
  mediaConnections: () => ({ open: 4, madeRoom: 2, refused: 1 }),
  mediaAnswers: () => ({ size: 5, cuts: () => ({ access: 1, 'too-slow': 2, recalled: 0 }) }),
  sharedMedia: () => ({ responses: 9, bytes: 9_000 }),
  pictureSockets: () => ({ size: 2, counts: { sentFrames: 70, droppedFrames: 6 } }),
  stills: () => ({ counts: { made: 8, failed: 1, shared: 30, makingSec: 0.4 }, cachedBytes: 900 }),
  pastBudget: () => ({ requests: 3, bytes: 2_000, refused: 1 }),
  ffmpegWorkers: () => ({
    ...{ running: 2, cores: 0.6, admitted: 9, refused: 3, taken: 2, waitedMs: 4_500, maxWorkers: 4 },
    waiting: { alarm: 1, viewer: 2, recording: 0, picture: 0, yielding: 5 },
  }),
  certificates: () => [
    {
      ...{ listener: 'media', validToEpochMs: 1_790_000_000_000 },
      ...{ lifetimeMs: 7_776_000_000, failure: null, acme: null },
    },
  ],
  rtmp: () => ({ publishers: 2, pending: 1, refused: new Map([['RTMP_KEY_REFUSED', 5]]) }),
  redisUp: () => true,
  changesFollowed: () => true,
  cluster: () => ({
    ...{
      nodes: 3,
      unreached: 1,
      clockDifferenceMs: 250,
      owner: 40,
      mirror: 2,
      links: 4,
      linkWaitingBytes: 512,
    },
    ...{ leasesLost: 1, takeovers: 7, handovers: { handovers: 5, gaps: 2, gapMs: 1_250 } },
  }),
  apiThread: () => ({ starts: 1, busySec: 0 }),
  viewerThreads: () => ({ starts: 3, busySec: 4.5, windows: 6 }),
  cameraThreads: () => ({ starts: 2, busySec: 1.5, streams: 7 }),
};

describe('metrics', () => {
  it.each([
    'sluice_stream_live{camera="c1",name="Lobby",rendition="main"} 1',
    'sluice_stream_dropped_frames_total{camera="c1",name="Lobby",rendition="main"} 0',
    'sluice_stream_joining_frames_total{camera="c1",name="Lobby",rendition="main"} 3',
    'sluice_camera_clock_drift_ppm{camera="c1",name="Lobby",profile="main"} 14.5',
    'sluice_camera_clock_uncertainty_seconds{camera="c1",name="Lobby",profile="main"} 0.003',
    'sluice_camera_clock_jumps{camera="c1",name="Lobby",profile="main"} 1',
    'sluice_camera_clock_sane{camera="c1",name="Lobby",profile="main"} 0',
    'sluice_ffmpeg_queue{urgency="viewer"} 2',
    'sluice_ffmpeg_queue{urgency="yielding"} 5',
    'sluice_ffmpeg_wait_seconds_total 4.5',
    'sluice_ffmpeg_refused_total 3',
    'sluice_ffmpeg_taken_total 2',
    'sluice_cameras{state="live"} 2',
    'sluice_rtmp_publishers 2',
    'sluice_cluster_nodes 3',
    'sluice_cluster_cameras{role="owner"} 40',
    'sluice_cluster_cameras{role="mirror"} 2',
    'sluice_cluster_links 4',
    'sluice_cluster_link_waiting_bytes 512',
    'sluice_cluster_leases_lost_total 1',
    'sluice_cluster_takeovers_total 7',
    'sluice_cluster_handovers_total 5',
    'sluice_cluster_handover_gaps_total 2',
    'sluice_cluster_handover_gap_seconds_total 1.25',
    'sluice_rtmp_refused_total{code="RTMP_KEY_REFUSED"} 5',
    'sluice_cameras{state="not-checked"} 0',
    'sluice_camera_offline{camera="c2",name="Yard \\"2\\"",profile="main",reason="unreachable",code="DIRECT_UNREACHABLE",host="192.0.2.10",port="554",errno="ECONNREFUSED"} 1',
    'sluice_share_viewers{share="s1",name="Front desk",camera="c1",camera_name="Lobby"} 3',
    'sluice_share_sent_bytes_total{share="s1",name="Front desk",camera="c1",camera_name="Lobby"} 4096',
    'sluice_recording_active{camera="c1",name="Lobby",rendition="main"} 1',
    'sluice_recording_dropped_segments_total{camera="c1",name="Lobby",rendition="main"} 2',
    'sluice_recording_waiting_bytes 11',
    'sluice_recording_deleted_files_total 13',
    'sluice_stills_made_total 8',
    'sluice_stills_shared_total 30',
    'sluice_stills_failed_total 1',
    'sluice_stills_making_seconds_total 0.4',
    'sluice_stills_cached_bytes 900',
    'sluice_recording_upload_failing 1',
    'sluice_clip_upload_failing 1',
    'sluice_recording_spool_bytes 700',
    'sluice_recording_spool_oldest_seconds 61',
    'sluice_uploads_running 2',
    'sluice_uploads_unfinished 5',
    'sluice_upload_bytes_total 900',
    'sluice_uploads_imported_total 6',
    'sluice_upload_failures_total{reason="UPLOAD_DAMAGED"} 4',
    'sluice_upload_failures_total{reason="UPLOAD_TOO_MANY"} 1',
    'sluice_playback_requests 3',
    'sluice_playback_bytes 2000',
    'sluice_playback_refused_total 1',
    'sluice_service_first_picture_seconds_bucket{share="s1",name="Front desk",source="probe",le="0.3"} 0',
    'sluice_service_first_picture_seconds_bucket{share="s1",name="Front desk",source="probe",le="0.5"} 1',
    'sluice_service_first_picture_seconds_bucket{share="s1",name="Front desk",source="probe",le="25"} 1',
    'sluice_service_first_picture_seconds_bucket{share="s1",name="Front desk",source="probe",le="+Inf"} 2',
    'sluice_service_first_picture_seconds_count{share="s1",name="Front desk",source="probe"} 2',
    'sluice_service_first_picture_seconds_sum{share="s1",name="Front desk",source="probe"} 0.42',
    'sluice_service_delay_seconds_bucket{share="s1",name="Front desk",source="probe",le="1"} 1',
    'sluice_service_stalled_seconds_total{share="s1",name="Front desk",source="probe"} 2',
    'sluice_service_request_errors_total{share="s1",name="Front desk",source="probe",reason="status-5xx"} 3',
    'sluice_service_protocol_info{share="s1",name="Front desk",protocol="h2"} 1',
    'sluice_service_attained_ratio{goal="firstPicture",source="probe"} 0.5',
    'sluice_service_goal_ratio{goal="delay"} 0.99',
    'sluice_service_probe_starts_total 2',
  ])('have %s', async (line) => {
    const metrics = createMetrics(SOURCES);
    await metrics.render();
    expect((await metrics.render()).split('\n')).toContain(line);
  });
});
