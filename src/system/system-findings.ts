/** Problems of the gateway, and how an operator can solve them. */

import type { IgnoredSettings } from './console-settings.ts';
import type { GatewayState, SystemFinding } from './system-state.ts';

/** More starts of the API's thread than the first mean that it failed. */
const EXPECTED_STARTS = 1;
/** Seconds that a finished recording may wait for S3. */
const LONG_SPOOL_SEC = 600;
/** A wall clock that was set by more than this was wrong before; one that differs by more from that of another node is wrong. */
const NOTED_CLOCK_STEP_MS = 5_000;

/** Of the room for recordings: from then on, holds take it from other recordings. */
const NOTED_HELD_SHARE = 1 / 2;

/** A certificate that is replaced in time has more left; so has one that lives for days, as a part of its lifetime. */
const SOON_MS = 14 * 86_400_000;
const SOON_SHARE = 1 / 5;

const IGNORED_BECAUSE: Readonly<Record<IgnoredSettings['reason'], string>> = {
  option: 'The gateway was started without them (`--ignore-console-settings`).',
  invalid: 'They do not fit the configuration file.',
  unreadable: 'What was saved cannot be read.',
  start: 'The gateway did not start with them, so it runs with the file alone.',
};

type Check = (state: GatewayState) => SystemFinding | null;

const CHECKS: readonly Check[] = [
  ({ database: { state, kind } }) =>
    state === 'ok'
      ? null
      : {
          code: state,
          severity: 'error',
          sentence: 'The database does not work. Viewers keep watching, but nothing can be changed.',
          whatToDo:
            kind === 'sqlite'
              ? 'Make room on the disk of the data folder, and look at the log for the reason.'
              : 'Check that PostgreSQL runs and that the gateway can reach it.',
        },
  ({ ignoredSettings }) =>
    ignoredSettings === null
      ? null
      : {
          code: 'CONSOLE_SETTINGS_IGNORED',
          severity: 'error',
          sentence: `The settings that were saved in the console are not in effect. ${IGNORED_BECAUSE[ignoredSettings.reason]}`,
          whatToDo: `Correct them on the page Settings, and restart the gateway there.${
            ignoredSettings.detail === '' ? '' : ` The reason: ${ignoredSettings.detail}`
          }`,
        },
  ({ certificates, ...state }) => {
    const expired = certificates.find(({ validToEpochMs }) => validToEpochMs <= nowOf(state));
    if (expired === undefined) return null;
    return {
      code: 'TLS_CERTIFICATE_EXPIRED',
      severity: 'error',
      sentence: `The TLS certificate of the ${expired.listener} listener has expired. Browsers refuse to open it.`,
      whatToDo:
        expired.acme === null
          ? `Put a new certificate into the files of \`tls.${expired.listener}\`. The gateway uses it within seconds.`
          : 'The log says why the ACME server did not renew it. The gateway keeps trying.',
    };
  },
  ({ certificates }) => {
    const pending = certificates.find(({ acme }) => acme?.isSelfSigned);
    if (pending === undefined) return null;
    return {
      code: 'TLS_CERTIFICATE_NOT_ISSUED',
      severity: 'error',
      sentence: `The ${pending.listener} listener has no certificate from the ACME server yet. Browsers do not trust the self-signed one in use.`,
      whatToDo: acmeAdvice(pending.acme?.failure ?? null),
    };
  },
  ({ certificates }) => {
    const partial = certificates.find(({ acme }) => acme && !acme.isSelfSigned && acme.missingDomains > 0);
    if (!partial?.acme) return null;
    const { missingDomains, failure } = partial.acme;
    const missing = missingDomains === 1 ? '1 domain' : `${missingDomains} domains`;
    return {
      code: 'TLS_CERTIFICATE_INCOMPLETE',
      severity: 'error',
      sentence: `The certificate of the ${partial.listener} listener is not for ${missing} of \`tls.acme.domains\`. Browsers refuse to open the listener there.`,
      whatToDo: acmeAdvice(failure),
    };
  },
  ({ certificates }) => {
    const failed = certificates.find(
      ({ acme }) => acme && !acme.isSelfSigned && acme.missingDomains === 0 && acme.failure !== null,
    );
    if (failed === undefined) return null;
    return {
      code: 'TLS_CERTIFICATE_NOT_RENEWED',
      severity: 'warning',
      sentence: `The certificate of the ${failed.listener} listener could not be renewed. It is valid until ${dayOf(failed.validToEpochMs)}.`,
      whatToDo: acmeAdvice(failed.acme?.failure ?? null),
    };
  },
  ({ certificates }) => {
    const stale = certificates.find(({ failure }) => failure !== null);
    if (stale === undefined) return null;
    return {
      code: 'TLS_CERTIFICATE_NOT_RELOADED',
      severity: 'warning',
      sentence: `The new TLS certificate of the ${stale.listener} listener cannot be used. The one before is in use.`,
      whatToDo: `The log says what is wrong with the files of \`tls.${stale.listener}\` (${stale.failure}).`,
    };
  },
  ({ certificates, ...state }) => {
    const ending = certificates.find(({ validToEpochMs, lifetimeMs }) => {
      const remainingMs = validToEpochMs - nowOf(state);
      return remainingMs > 0 && remainingMs < Math.min(SOON_MS, lifetimeMs * SOON_SHARE);
    });
    if (ending === undefined) return null;
    return {
      code: 'TLS_CERTIFICATE_EXPIRES_SOON',
      severity: 'warning',
      sentence: `The TLS certificate of the ${ending.listener} listener expires on ${dayOf(ending.validToEpochMs)}.`,
      whatToDo:
        ending.acme === null
          ? `Put a new certificate into the files of \`tls.${ending.listener}\`, or look at the program that renews it.`
          : 'The log says why the ACME server did not renew it. The gateway keeps trying.',
    };
  },
  ({ cluster }) => {
    const unreached = (cluster?.nodes ?? []).filter(({ isReached }) => !isReached);
    if (unreached.length === 0) return null;
    const names = unreached.map(({ nodeId }) => `\`${nodeId}\``).join(', ');
    const isOne = unreached.length === 1;
    return {
      code: 'NODES_OUT_OF_REACH',
      severity: 'error',
      sentence: `This node cannot reach ${isOne ? 'the node' : 'the nodes'} ${names}. Cameras that ${isOne ? 'it pulls' : 'they pull'} do not play through this one.`,
      whatToDo:
        'Check `cluster.internal.address` there, the network between the nodes, and that `cluster.secret` is the same. The log has the reason.',
    };
  },
  ({ cluster }) => {
    const offsets = (cluster?.nodes ?? []).map(({ nodeId, clockOffsetMs }) => ({
      nodeId,
      offsetMs: Math.abs(clockOffsetMs ?? 0),
    }));
    const worst = offsets.toSorted((one, other) => other.offsetMs - one.offsetMs)[0];
    if (worst === undefined || worst.offsetMs < NOTED_CLOCK_STEP_MS) return null;
    return {
      code: 'CLOCKS_DIFFER',
      severity: 'error',
      sentence: `The clocks of this node and of \`${worst.nodeId}\` differ by ${Math.round(worst.offsetMs / 1_000)} s. Links, schedules and sessions end at one node and work at the other.`,
      whatToDo: 'Run an NTP client on the machine of each node.',
    };
  },
  ({ redis, cluster }) =>
    redis === null || redis.isConnected
      ? null
      : {
          code: 'REDIS_AWAY',
          severity: 'warning',
          sentence:
            cluster === null
              ? 'Redis is away. Counts of shares and viewers, and rate limits, are those of this gateway alone.'
              : 'Redis is away. Limits are those of this node alone, and cameras do not move to other nodes.',
          whatToDo:
            'Check that Redis runs and that the address in `redis` is right. The gateway reconnects by itself.',
        },
  ({ recorder, disks }) => {
    const freeBytes = disks.find(({ use }) => use === 'recordings')?.freeBytes ?? null;
    if (freeBytes === null || freeBytes >= recorder.minFreeBytes / 2) return null;
    return {
      code: 'RECORDINGS_DISK_FULL',
      severity: 'error',
      sentence: 'The disk of the recordings is full. Nothing is recorded.',
      whatToDo: 'Make room on the disk, or lower `recording.keep` or `recording.maxSizePerCamera`.',
    };
  },
  ({ recorder: { use, minFreeBytes }, disks }) => {
    const freeBytes = disks.find((disk) => disk.use === 'recordings')?.freeBytes ?? null;
    if (use === null || freeBytes === null) return null;
    const share = use.heldBytes / Math.max(1, use.recordedBytes + freeBytes);
    if (share < NOTED_HELD_SHARE) return null;
    const isFull = freeBytes < minFreeBytes;
    return {
      code: 'HELD_RECORDINGS_FILL_DISK',
      severity: isFull ? 'error' : 'warning',
      sentence: `Legal holds keep ${Math.round(share * 100)} percent of the room for recordings. ${
        isFull ? 'The disk is full, so nothing may be recorded soon.' : 'Other recordings are deleted sooner.'
      }`,
      whatToDo:
        'Release holds on the page Cases, or add room to the disk. Nothing else deletes what is held.',
    };
  },
  ({ recorder: { failedStreams } }) =>
    failedStreams === 0
      ? null
      : {
          code: 'RECORDING_FAILED',
          severity: 'error',
          sentence: `${failedStreams} ${failedStreams === 1 ? 'stream' : 'streams'} cannot be recorded.`,
          whatToDo: 'Look at the log for the reason. The gateway keeps trying.',
        },
  ({ recorder: { unreadableFiles } }) =>
    unreadableFiles === 0
      ? null
      : {
          code: 'RECORDINGS_UNREADABLE',
          severity: 'warning',
          sentence:
            unreadableFiles === 1
              ? '1 recording file cannot be read, so its video is not listed.'
              : `${unreadableFiles} recording files cannot be read, so their video is not listed.`,
          whatToDo:
            'The log names each file and why. If the secret key or the version of the gateway is the reason, restore it and restart. Otherwise, retention deletes a file after the one recorded next.',
        },
  ({ recorder: { isUploadFailing, spoolAgeSec } }) =>
    !isUploadFailing && spoolAgeSec < LONG_SPOOL_SEC
      ? null
      : {
          code: 'RECORDING_UPLOAD_FAILING',
          severity: 'warning',
          sentence: 'Finished recordings cannot be uploaded to S3 fast enough, or at all.',
          whatToDo: 'Check the address, the bucket and the credentials in `s3`. Recordings wait on the disk.',
        },
  ({ recorder: { isClipUploadFailing } }) =>
    isClipUploadFailing
      ? {
          code: 'CLIP_UPLOAD_FAILING',
          severity: 'warning',
          sentence: 'Finished clips cannot be uploaded to S3.',
          whatToDo: 'Check the address, the bucket and the credentials in `s3`. Clips wait on the disk.',
        }
      : null,
  ({ recorder: { isH264CacheFailing } }) =>
    isH264CacheFailing
      ? {
          code: 'H264_CACHE_FAILING',
          severity: 'warning',
          sentence:
            'H.264 that was made of recordings cannot be kept on the disk, so it is made again more often.',
          whatToDo: 'Check that the gateway can write to its `data` folder, and that its disk has room.',
        }
      : null,
  ({ workers: { waiting } }) => {
    const starts = Object.values(waiting).reduce((sum, count) => sum + count, 0);
    if (starts === 0) return null;
    return {
      code: 'WORKERS_BUSY',
      severity: 'warning',
      sentence: `${starts} ${starts === 1 ? 'stream waits' : 'streams wait'} for an ffmpeg worker.`,
      whatToDo: 'Set cameras to H.264 with AAC, which needs no worker, or raise `ffmpeg.maxWorkers`.',
    };
  },
  ({ cameras, pausedOffline }) => {
    const offline = (cameras.offline ?? 0) - pausedOffline;
    if (offline <= 0) return null;
    return {
      code: 'CAMERAS_OFFLINE',
      severity: 'warning',
      sentence: `${offline} ${offline === 1 ? 'camera' : 'cameras'} of this gateway ${offline === 1 ? 'is' : 'are'} offline and not paused.`,
      whatToDo: 'Each camera says why. `sluice check` tries them all.',
    };
  },
  ({ signatures: { changed } }) =>
    changed === 0
      ? null
      : {
          code: 'CAMERA_VIDEO_CHANGED',
          severity: 'error',
          sentence: `${changed === 1 ? 'A camera sent' : `${changed} cameras sent`} video within the last hour that is not as the camera signed it.`,
          whatToDo:
            'The log names them. Check who can reach them and their network, and what else reads or changes their video, such as a video recorder in between.',
        },
  ({ signatures: { stopped } }) =>
    stopped === 0
      ? null
      : {
          code: 'CAMERA_STOPPED_SIGNING',
          severity: 'warning',
          sentence: `${stopped === 1 ? 'A camera' : `${stopped} cameras`} signed video and stopped.`,
          whatToDo:
            'The log names the cameras. Check whether someone turned signing off, replaced the camera, or put another source in its place.',
        },
  ({ threads }) => {
    const starts = threads.find(({ name }) => name === 'api')?.starts ?? EXPECTED_STARTS;
    if (starts <= EXPECTED_STARTS) return null;
    return {
      code: 'API_THREAD_RESTARTED',
      severity: 'warning',
      sentence: `The API's thread failed ${starts - EXPECTED_STARTS} ${starts === 2 ? 'time' : 'times'} and was restarted.`,
      whatToDo: 'Report it with a support bundle: the log has the reason.',
    };
  },
  ({ wallClockStepMs }) =>
    Math.abs(wallClockStepMs) < NOTED_CLOCK_STEP_MS
      ? null
      : {
          code: 'CLOCK_WAS_SET',
          severity: 'warning',
          sentence: 'The clock of this machine was set while the gateway ran.',
          whatToDo: 'Run an NTP client, so that schedules and recordings have the right times.',
        },
];

function acmeAdvice(failure: string | null): string {
  return failure === null
    ? 'Usually the ACME server issues the certificate within a minute. The log says if the gateway has to wait longer.'
    : `The log says why (${failure}), and when the gateway tries again. Check \`tls.acme\`, and that port 80 of each domain reaches \`tls.acme.http\`. SIGHUP makes it try again now.`;
}

/** The clock of that machine. */
function nowOf(state: Pick<GatewayState, 'startedAtEpochMs' | 'uptimeMs' | 'wallClockStepMs'>): number {
  return state.startedAtEpochMs + state.uptimeMs + state.wallClockStepMs;
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The most severe first. */
export function systemFindings(state: GatewayState): SystemFinding[] {
  return inOrder(CHECKS.map((check) => check(state)).filter((finding) => finding !== null));
}

/** The most severe first. */
export function inOrder(findings: readonly SystemFinding[]): SystemFinding[] {
  return [
    ...findings.filter(({ severity }) => severity === 'error'),
    ...findings.filter(({ severity }) => severity === 'warning'),
  ];
}
