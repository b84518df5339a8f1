import { describe, expect, it } from 'vitest';
import { createMetrics, type MetricsSources } from './metrics.ts';

const SOURCES: MetricsSources = {
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
  viewers: () => 3,
  mediaConnections: () => ({ open: 4, madeRoom: 2, refused: 1 }),
  mediaAnswers: () => ({ size: 5, cuts: () => ({ access: 1, 'too-slow': 2, recalled: 0 }) }),
  ffmpegWorkers: () => ({ running: 0, waiting: 0 }),
  redisUp: () => true,
  apiThread: () => ({ starts: 1, busySec: 0 }),
};

describe('metrics', () => {
  it.each([
    'sluice_stream_live{camera="c1",name="Lobby",rendition="main"} 1',
    'sluice_stream_dropped_frames_total{camera="c1",name="Lobby",rendition="main"} 0',
    'sluice_stream_joining_frames_total{camera="c1",name="Lobby",rendition="main"} 3',
    'sluice_cameras{state="live"} 2',
    'sluice_cameras{state="not-checked"} 0',
    'sluice_camera_offline{camera="c2",name="Yard \\"2\\"",profile="main",reason="unreachable",code="DIRECT_UNREACHABLE",host="192.0.2.10",port="554",errno="ECONNREFUSED"} 1',
    'sluice_share_viewers{share="s1",name="Front desk",camera="c1",camera_name="Lobby"} 3',
    'sluice_share_sent_bytes_total{share="s1",name="Front desk",camera="c1",camera_name="Lobby"} 4096',
  ])('have %s', async (line) => {
    const metrics = createMetrics(SOURCES);
    await metrics.render();
    expect((await metrics.render()).split('\n')).toContain(line);
  });
});
