/** Which cameras have recordings on a video recorder, as the configuration says. */

import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { atPath, channelOfUrl, type RecordedChannel } from '../../recorders/recorder-settings.ts';
import { ANYWHERE } from '../../sources/network/camera-address.ts';
import { parseTlsTrust } from '../../sources/network/tls-trust.ts';
import type { CameraConfig, Config, NvrConfig } from './schema.ts';

/** `orgUuid`: whose the cameras of the file are. */
export function recordedChannels(
  { nvrs, cameras }: Pick<Config, 'nvrs' | 'cameras'>,
  orgUuid: Ruuid,
): RecordedChannel[] {
  const byName = new Map(nvrs.map((nvr) => [nvr.name, nvr]));
  return cameras.flatMap((camera) => {
    const nvr = camera.nvr === null ? undefined : byName.get(camera.nvr);
    return nvr === undefined || nvr.playback === null ? [] : channelOf(nvr, nvr.playback, camera, orgUuid);
  });
}

function channelOf(
  nvr: NvrConfig,
  kind: NonNullable<NvrConfig['playback']>,
  camera: CameraConfig,
  orgUuid: Ruuid,
): RecordedChannel[] {
  const live = camera.rtsp !== null && /^rtsps?:$/.test(camera.rtsp.protocol) ? camera.rtsp : null;
  const server = nvr.playbackRtsp ?? live;
  // check-config.ts has made sure that there is one.
  if (server === null) return [];
  const maxSessions = nvr.playbackSessions;
  return [
    {
      recorder: { uuid: nvr.uuid ?? deriveRuuid('nvr', nvr.name), kind, maxSessions },
      cameraUuid: camera.uuid ?? deriveRuuid('camera', camera.name),
      orgUuid,
      rtspUrl: nvr.playbackRtsp === null || live === null ? server : atPath(server, pathOf(live)),
      httpUrl: nvr.playbackUrl ?? webServerOf(server),
      channel: camera.playbackChannel ?? (live === null ? null : channelOfUrl(live)) ?? 1,
      tls: parseTlsTrust(camera.tls) ?? 'verify',
      addressRule: ANYWHERE,
    },
  ];
}

function pathOf(url: CredentialUrl): string {
  const { pathname, search } = new URL(url.redacted());
  return `${pathname}${search}`;
}

/** The standard port: the one of RTSP is not that of HTTP. `URL` changes no scheme from `rtsp` to `http`. */
function webServerOf(url: CredentialUrl): CredentialUrl {
  const { username, password, hostname } = new URL(url.reveal());
  const login = username === '' && password === '' ? '' : `${username}:${password}@`;
  return new CredentialUrl(`http://${login}${hostname}/`);
}
