/** The reference page of error codes as Markdown, made from the registries of all domains. */

import { ACCOUNT_ERRORS } from '../../src/accounts/errors.ts';
import { OAUTH_ERRORS, OAUTH_PROTOCOL_ERRORS, REGISTRATION_ERRORS } from '../../src/api/oauth/errors.ts';
import { CONFIG_ERRORS } from '../../src/app/config/errors.ts';
import { APP_ERRORS } from '../../src/app/process/errors.ts';
import { CASE_ERRORS } from '../../src/cases/errors.ts';
import { CLIP_ERRORS } from '../../src/clips/errors.ts';
import { HANDOVER_ERRORS } from '../../src/cluster/handover/errors.ts';
import { LINK_ERRORS } from '../../src/cluster/links/errors.ts';
import { MIRROR_ERRORS } from '../../src/cluster/mirror/errors.ts';
import { CLUSTER_ERRORS } from '../../src/cluster/nodes/errors.ts';
import { CMAF_ERRORS } from '../../src/cmaf/errors.ts';
import { CONNECTION_ERRORS } from '../../src/connections/errors.ts';
import { CORE_ERRORS, type ErrorDefinition, type ErrorKind } from '../../src/core/errors.ts';
import { COUNTERS_ERRORS } from '../../src/counters/errors.ts';
import { DASH_ERRORS } from '../../src/dash/errors.ts';
import { DEVICE_ERRORS } from '../../src/devices/errors.ts';
import { EMERGENCY_ERRORS } from '../../src/emergency/errors.ts';
import { EVENT_ERRORS } from '../../src/events/errors.ts';
import { FFMPEG_ERRORS } from '../../src/ffmpeg/errors.ts';
import { FRONT_DOOR_ERRORS } from '../../src/front-door/response/errors.ts';
import { HLS_ERRORS } from '../../src/hls/errors.ts';
import { API_ERRORS } from '../../src/http/errors.ts';
import { INGEST_ERRORS } from '../../src/ingest/errors.ts';
import { INTEGRATION_ERRORS } from '../../src/integrations/errors.ts';
import { ISOBMFF_ERRORS } from '../../src/isobmff/errors.ts';
import { MAIL_ERRORS } from '../../src/mail/errors.ts';
import { OIDC_ERRORS } from '../../src/oidc/errors.ts';
import { ONVIF_ERRORS } from '../../src/onvif/errors.ts';
import { ACCESS_CONTROL_ERRORS } from '../../src/platform/access-control/errors.ts';
import { REPORT_ERRORS } from '../../src/platform/reports/errors.ts';
import { PLAYBACK_ERRORS } from '../../src/playback/errors.ts';
import { POLICY_ERRORS } from '../../src/policies/errors.ts';
import { REALTIME_ERRORS } from '../../src/realtime/errors.ts';
import { RECORDER_ERRORS } from '../../src/recorders/errors.ts';
import { RECORDING_ERRORS } from '../../src/recording/errors.ts';
import { RTP_ERRORS } from '../../src/rtp/errors.ts';
import { RTSP_ERRORS } from '../../src/rtsp/errors.ts';
import { SDP_ERRORS } from '../../src/rtsp/sdp/errors.ts';
import { SAML_ERRORS } from '../../src/saml/errors.ts';
import { SCIM_ERRORS } from '../../src/scim/errors.ts';
import { SERVICE_LEVEL_ERRORS } from '../../src/service-levels/errors.ts';
import { SHARING_ERRORS } from '../../src/sharing/errors.ts';
import { HLS_SOURCE_ERRORS } from '../../src/sources/hls/errors.ts';
import { PULL_ERRORS } from '../../src/sources/http/errors.ts';
import { DIRECT_ERRORS } from '../../src/sources/network/errors.ts';
import { RTMP_ERRORS } from '../../src/sources/rtmp/errors.ts';
import { CAMERA_THREAD_ERRORS } from '../../src/sources/threaded/errors.ts';
import { STORE_ERRORS } from '../../src/store/errors.ts';
import { LIVE_ERRORS, STREAM_ERRORS } from '../../src/stream/media/errors.ts';
import { SYNTHETIC_CAMERA_ERRORS } from '../../src/synthetic-camera/errors.ts';
import { SYSTEM_ERRORS } from '../../src/system/errors.ts';
import { UPLOAD_ERRORS } from '../../src/uploads/errors.ts';
import { WEBHOOK_ERRORS } from '../../src/webhooks/errors.ts';

export interface ErrorDomain {
  readonly title: string;
  readonly registry: Readonly<Record<string, ErrorDefinition>>;
}

/** Every registry, in the order of the page. */
export const ERROR_DOMAINS: readonly ErrorDomain[] = [
  { title: 'Core', registry: CORE_ERRORS },
  { title: 'Management API', registry: API_ERRORS },
  { title: 'Accounts', registry: ACCOUNT_ERRORS },
  { title: 'Single sign-on', registry: OIDC_ERRORS },
  { title: 'SAML', registry: SAML_ERRORS },
  { title: 'Provisioning', registry: SCIM_ERRORS },
  { title: 'OAuth authorization', registry: OAUTH_ERRORS },
  { title: 'OAuth tokens', registry: OAUTH_PROTOCOL_ERRORS },
  { title: 'OAuth client registration', registry: REGISTRATION_ERRORS },
  { title: 'Shares, schedules and access', registry: SHARING_ERRORS },
  { title: 'The gateway itself', registry: SYSTEM_ERRORS },
  { title: 'Service levels', registry: SERVICE_LEVEL_ERRORS },
  { title: 'Cameras, NVRs, locations and tags', registry: DEVICE_ERRORS },
  { title: 'Reports of devices', registry: INGEST_ERRORS },
  { title: 'Access control', registry: ACCESS_CONTROL_ERRORS },
  { title: 'Policies', registry: POLICY_ERRORS },
  { title: 'Integrations', registry: INTEGRATION_ERRORS },
  { title: 'Webhooks', registry: WEBHOOK_ERRORS },
  { title: 'Mail', registry: MAIL_ERRORS },
  { title: 'Events', registry: EVENT_ERRORS },
  { title: 'Reports read through the API', registry: REPORT_ERRORS },
  { title: 'Real-time stream of changes', registry: REALTIME_ERRORS },
  { title: 'Live streams', registry: STREAM_ERRORS },
  { title: 'Requests that wait for video', registry: LIVE_ERRORS },
  { title: 'Recordings', registry: RECORDING_ERRORS },
  { title: 'Video recorders', registry: RECORDER_ERRORS },
  { title: 'Playback', registry: PLAYBACK_ERRORS },
  { title: 'Clips that are handed over', registry: UPLOAD_ERRORS },
  { title: 'Clips', registry: CLIP_ERRORS },
  { title: 'Legal holds and cases', registry: CASE_ERRORS },
  { title: 'Emergencies', registry: EMERGENCY_ERRORS },
  { title: 'Cameras over RTSP', registry: DIRECT_ERRORS },
  { title: 'Threads that read cameras', registry: CAMERA_THREAD_ERRORS },
  { title: 'Cameras over HTTP, RTMP and SRT', registry: PULL_ERRORS },
  { title: 'Cameras over HLS', registry: HLS_SOURCE_ERRORS },
  { title: 'Devices that push video', registry: RTMP_ERRORS },
  { title: 'ffmpeg workers', registry: FFMPEG_ERRORS },
  { title: 'Cameras over ONVIF', registry: ONVIF_ERRORS },
  { title: 'RTSP messages', registry: RTSP_ERRORS },
  { title: 'RTP and its payload formats', registry: RTP_ERRORS },
  { title: 'SDP', registry: SDP_ERRORS },
  { title: 'HLS', registry: HLS_ERRORS },
  { title: 'DASH', registry: DASH_ERRORS },
  { title: 'ISO base media files', registry: ISOBMFF_ERRORS },
  { title: 'Files cut into segments', registry: CMAF_ERRORS },
  { title: 'Synthetic camera', registry: SYNTHETIC_CAMERA_ERRORS },
  { title: 'Counters', registry: COUNTERS_ERRORS },
  { title: 'Cluster', registry: CLUSTER_ERRORS },
  { title: 'Links between nodes', registry: LINK_ERRORS },
  { title: 'Mirrors of cameras', registry: MIRROR_ERRORS },
  { title: 'Handover of cameras', registry: HANDOVER_ERRORS },
  { title: 'Store', registry: STORE_ERRORS },
  { title: 'Front door', registry: FRONT_DOOR_ERRORS },
  { title: 'TLS at the listeners', registry: CONNECTION_ERRORS },
  { title: 'Configuration', registry: CONFIG_ERRORS },
  { title: 'Command line', registry: APP_ERRORS },
];

const KIND_MEANINGS: Readonly<Record<ErrorKind, string>> = {
  'invalid-input': 'the caller sent something that cannot be accepted',
  unauthenticated: 'no or unknown credentials',
  'not-allowed': 'a rule refuses it',
  'not-found': 'there is no such thing, or it belongs to somebody else',
  conflict: 'the state of the thing forbids it',
  'rate-limited': 'too often; the answer carries Retry-After',
  unavailable: 'may work later; the answer carries Retry-After',
  'peer-protocol': 'a camera, NVR or worker broke its protocol',
  'peer-refused': 'a camera, NVR or worker said no',
  timeout: 'it took too long',
  limit: 'a limit was reached',
  internal: 'a defect of the gateway; the log has the details',
};

const INTRODUCTION = `# Error codes

Every failure has a stable code and a kind. Codes stand in logs and metrics; callers of the API and viewers get the
sentence. The kinds:`;

/** The text of `docs/reference/errors.md`. */
export function renderErrorReference(domains: readonly ErrorDomain[] = ERROR_DOMAINS): string {
  const kinds = Object.entries(KIND_MEANINGS).map(([kind, meaning]) => `| ${kind} | ${meaning} |`);
  const sections = domains.map(({ title, registry }) => {
    const rows = Object.values(registry).map(
      ({ code, kind, message }) => `| \`${code}\` | ${kind} | ${message.replaceAll('|', '\\|')} |`,
    );
    return [`## ${title}`, '', '| code | kind | message |', '|---|---|---|', ...rows].join('\n');
  });
  const kindTable = ['| kind | meaning |', '|---|---|', ...kinds].join('\n');
  return `${[INTRODUCTION, kindTable, ...sections].join('\n\n')}\n`;
}
