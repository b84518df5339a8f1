/** The keys of cameras, and of what connects to them: a part of schema.ts. */

import { LIMITS } from '../../core/limits/registry.ts';
import { group, optional, recordList, required, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

export const SOURCES = group('Connections to cameras.', {
  connectTimeout: setting(
    types.duration('1s', '2m'),
    '10s',
    'Time limit from connecting to the response to PLAY.',
  ),
  silenceTimeout: setting(
    types.duration('1s', '5m'),
    '10s',
    'The gateway reopens a camera whose video has been frozen for this long. Keep it above the frame interval of your slowest camera.',
  ),
  backoffMin: setting(
    types.duration('100ms', '1m'),
    '1s',
    'Pause before the second attempt. It doubles after each attempt.',
  ),
  backoffMax: setting(
    types.duration('1s', '1h'),
    '30s',
    'Longest pause between attempts, for cameras that answer and fail. A camera that does not answer is tried every 1.5 s at most, or after `backoffMin` if that is longer.',
  ),
  checkInterval: setting(
    types.duration('0s', '1d'),
    '5m',
    'How often the gateway checks whether a camera that no one watches can be reached: one connection, without video. `0s` turns checks off. Cameras behind RTMP and SRT URLs, and cameras that push, are not checked.',
  ),
  allowLocal: setting(
    types.flag,
    'false',
    'Whether cameras added through the API can be on this machine or on link-local addresses. Cameras in this file can be anywhere.',
  ),
  networks: setting(
    types.listOf(types.network),
    '',
    'Networks in which cameras added through the API may be. If empty, they can be in any. Administrators of an organization can state fewer for its cameras. Cameras in this file can be anywhere.',
  ),
  signingAnchors: optional(
    types.path,
    "who signed a camera's video is shown, but no one vouches for it",
    'A PEM file with certificates, for example those of the manufacturers. The certificate of a camera that signs its video (ONVIF Media Signing) counts as trusted if it leads to one of them.',
    '/etc/sluice/camera-makers.pem',
  ),
  onvifProbes: setting(
    types.listOf(types.probeTarget),
    '',
    'Where the API and the console look for ONVIF cameras: addresses of cameras, or broadcast addresses of networks. If empty, the probe goes to the multicast group on every network of this machine.',
  ),
});

export const FFMPEG = group('Workers for media that the direct engine cannot carry, such as Motion JPEG.', {
  path: optional(
    types.path,
    "the system's ffmpeg, or the bundled one",
    'Path of the binary.',
    '/usr/bin/ffmpeg',
  ),
  maxWorkers: setting(
    types.integer(0, 256),
    `${LIMITS.workers.total}`,
    'How many processes can run at the same time. More cameras have to wait.',
  ),
  maxCores: optional(
    types.decimal(0.1, 1_024),
    'all cores of the machine',
    'How many cores the workers together are expected to use. Another one then waits, unless none is running. Converting 1080p at 25 frames per second counts as 0.3 cores.',
    '1.5',
  ),
  queueTimeout: setting(
    types.duration('0s', '10m'),
    '10s',
    'How long a camera waits for a worker. Alarm partners go first, then viewers, recordings and still images; waiting moves a camera up.',
  ),
});

export const RTMP = group('Video that cameras, recorders and encoders push.', {
  listen: setting(
    types.listenAddress,
    '127.0.0.1:1935',
    'Where devices push to. The gateway listens only while a camera has a publish key, from this file or the API. RTMP is not encrypted: anyone who can read the network can read keys and video.',
  ),
});

export const CAMERAS = recordList(
  'Cameras. If you remove a camera from the file, the gateway removes it too; its shares wait for its return. Cameras added through the API are not touched.',
  {
    uuid: optional(
      types.ruuid,
      'derived from the name',
      'Stable identity: keeps shares when renamed.',
      'qqqqqqqqqqqqqqqqqqqqqQ',
    ),
    name: required(types.text, 'Unique among cameras.', 'Lobby'),
    location: optional(types.text, "the NVR's location", 'Name of a location above.', 'HQ'),
    nvr: optional(types.text, 'none', 'Name of an NVR above.', 'Core'),
    playbackChannel: optional(
      types.integer(1, 9_999),
      'as its rtsp names it, or 1',
      "The camera's channel on the NVR, if the NVR's recordings are shown.",
      '3',
    ),
    kind: setting(types.choice('camera', 'doorbell'), 'camera', 'What the device is.'),
    rtsp: optional(
      types.cameraUrl,
      'with publishKey',
      'Main stream. Every camera needs this or publishKey.',
      'rtsp://user:password@192.0.2.10/main',
    ),
    publishKey: optional(
      types.publishKey,
      'the gateway opens the camera',
      'A device pushes the main stream by RTMP, to rtmp.listen with the path /live/ and this key. Instead of rtsp.',
      'a-random-key-of-at-least-20-characters',
    ),
    substream: optional(
      types.cameraUrl,
      'none',
      'Smaller stream, offered in addition to the main stream.',
      'rtsp://user:password@192.0.2.10/sub',
    ),
    onvif: optional(
      types.credentialUrl('http', 'https'),
      'none',
      'ONVIF service of the camera. What it notices, such as motion, becomes policy alerts.',
      'http://user:password@192.0.2.10/onvif/device_service',
    ),
    engine: setting(
      types.choice('auto', 'direct', 'ffmpeg'),
      'auto',
      'auto uses ffmpeg for media that direct cannot carry.',
    ),
    transport: setting(
      types.choice('auto', 'tcp', 'udp', 'multicast', 'http'),
      'auto',
      'How media comes. auto tries TCP, then UDP, then multicast if the camera describes a group. http is RTSP over HTTP, or over HTTPS for an rtsps:// URL; an rtsp+http:// or rtsp+https:// URL means the same.',
    ),
    clock: setting(
      types.choice('arrival', 'camera'),
      'arrival',
      "What dates the frames. camera uses the camera's own clock once it proves sane, and arrival until then.",
    ),
    audio: setting(
      types.choice('auto', 'aac', 'off'),
      'auto',
      'auto passes on AAC and Opus, and makes FLAC of G.711, G.726 and L16. aac makes AAC of everything, in ffmpeg workers. off leaves audio out.',
    ),
    recording: optional(
      types.choice('off', 'always', 'schedule', 'events'),
      'as set through the API, or off',
      'Whether the camera is recorded: always, at the times of recordingSchedule, or around events. off also turns off recording for shares.',
      'always',
    ),
    recordingStreams: optional(
      types.choice('main', 'sub', 'both'),
      'recording.streams, or as set through the API',
      'Which streams of this camera are recorded.',
      'main',
    ),
    recordingSchedule: optional(
      types.recordingSchedule,
      'as set through the API',
      "When to record with schedule, in the time zone of the camera's location.",
      'Mon-Fri 08:00-18:00, Sat 22:00-06:00',
    ),
    recordingPreRoll: optional(
      types.duration('0s', '60s'),
      'recording.preRoll, or as set through the API',
      'How much to record before an event.',
      '10s',
    ),
    recordingPostRoll: optional(
      types.duration('0s', '1h'),
      'recording.postRoll, or as set through the API',
      'How much to record after an event.',
      '30s',
    ),
    recordingKeep: optional(
      types.keptTimes('1h', '36500d'),
      'recording.keep, or as set through the API',
      'How long to keep recordings of this camera, or of each of its streams.',
      '7d',
    ),
    recordingMaxSize: optional(
      types.size('1GiB', '1000000GiB'),
      'recording.maxSizePerCamera, or as set through the API',
      'How much to keep of this camera.',
      '50GiB',
    ),
    tls: setting(
      types.tlsTrust,
      'any',
      'What the certificate of an rtsps://, rtsp+https:// or https:// camera, or of its https:// ONVIF service, must prove: any accepts every certificate, verify requires one that is valid for the host, and sha256: with a fingerprint requires exactly that certificate.',
    ),
  },
);
