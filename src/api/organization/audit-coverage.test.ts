/** Each change is in the audit trail. Longer than 500 lines: one table has all endpoints that change something. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { CASES, type Case } from '../../cases/case-records.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { OBEDIENT_CAMERA } from '../../devices/fake-onvif-cameras.ts';
import { samplePerson } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { EXAMPLE_SETTINGS as OIDC_SETTINGS } from '../console/oidc-types.ts';
import { EXAMPLE_SETTINGS } from '../console/saml-types.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { OAuthTester } from '../oauth-fixture.ts';
import { CONSOLE_ORIGIN, changePeople } from '../people-changes-fixture.ts';

/** One gray pixel without tables: nothing decodes it here. */
const TINY_JPEG = 'ffd8ffc0000b080001000101011100ffda0008010100003f0000ffd9';

/** Endpoints that only read. Device reports are not changes of managed things, unless they are listed here as such. */
const READING = /\/(get|find|validate)[^/]*$|^\/api\/(?:export|ingest)\//;
const RTSP_URL = 'rtsp://192.0.2.10/stream1';
const LATER_SEC = 1_767_290_400;

interface Entry {
  readonly action: string;
  readonly principalType: string;
  readonly targetUuid: string;
}

let fixture: ApiFixture;
const written = new Map<string, string[]>();
beforeAll(async () => {
  fixture = await openApiFixture({
    overrides: { publicApiUrl: CONSOLE_ORIGIN },
    limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } },
  });
  const { store, own } = fixture;
  // Only the configuration can remove its own declarations.
  await store.cameras.save({ ...own.camera, fromConfig: false });
  await store.cameras.save({ ...own.doorbell, fromConfig: false });
  const nvr = await store.nvrs.find(own.organization.uuid, own.nvrUuid);
  await store.nvrs.save({ ...nvr!, fromConfig: false });
});
afterAll(() => fixture.close());

/** Calls an endpoint and records the rows that it leaves under the caller's name. */
function change(path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
  return noting(path, () => fixture.call(path, body, headers));
}

async function noting(path: string, call: () => Promise<Answer>): Promise<Answer> {
  fixture.clock.advance(1);
  const startMs = fixture.clock.epochMs();
  const response = await call();
  expect(response.errorMsg, path).toBeUndefined();
  const feed = await fixture.call('/api/report/getAuditFeed', { timestampMsAfter: startMs });
  // Leaves out the gateway's own actions in the meantime, such as running a job.
  const entries = (feed.auditEvents as Entry[]).filter(({ principalType }) => principalType !== 'UNKNOWN');
  written.set(path, entries.map(({ action }) => action).sort());
  return response;
}

async function changeCameras(): Promise<void> {
  const { camera, doorbell } = fixture.own;
  const share = { streamType: 'USER', vodEnabled: false };
  const { sharedLiveVideoStreamUuid: uuid } = await change('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: camera.uuid,
    ...share,
  });
  await change('/api/camera/createProtectedSharedLiveVideoStream', {
    cameraUuid: camera.uuid,
    password: 'open sesame',
  });
  await change('/api/camera/updateSharedLiveVideoStream', { uuid, name: 'Gate', nameUpdated: true });
  await change('/api/camera/bulkUpdateSharedStreams', {
    sharedLiveVideoStreamUuids: [uuid],
    action: 'SET_EXPIRATION',
    expirationTimeSecs: 3_600,
  });
  const { viewerId } = fixture.watch(uuid as Ruuid, { ip: '192.0.2.10' });
  const ofShare = { sharedLiveVideoStreamUuid: uuid };
  await change('/api/camera/endSharedStreamViewer', { ...ofShare, viewerId, blockMinutes: 5 });
  await change('/api/camera/unblockSharedStreamAddress', { ...ofShare, address: '192.0.2.10' });
  await change('/api/console/updateServiceProbe', { ...ofShare, isProbed: true });
  await change('/api/camera/deleteSharedLiveVideoStream', { cameraUuid: camera.uuid, uuid });
  const { uuid: wallUuid } = await change('/api/camera/createVideoWall', {
    videoWall: { displayName: 'Control room', deviceList: [camera.uuid] },
  });
  await change('/api/camera/updateVideoWalls', { videoWall: { uuid: wallUuid, displayName: 'Desk' } });
  const ofWall = { videoWallUuid: wallUuid };
  const { sharedLiveVideoStreamUuid: wallShare } = await change('/api/camera/createSharedVideoWall', ofWall);
  await change('/api/camera/createProtectedSharedVideoWall', { ...ofWall, password: 'open sesame' });
  await change('/api/camera/updateSharedVideoWall', {
    uuid: wallShare,
    vodEnabled: true,
    vodEnabledUpdated: true,
  });
  await change('/api/camera/deleteSharedVideoWall', { ...ofWall, uuid: wallShare });
  await change('/api/camera/deleteVideoWall', { uuid: wallUuid });
  const { cameraUuid } = await change('/api/camera/createCamera', { name: 'Mast', mainUrl: RTSP_URL });
  await change('/api/camera/updateCameraSource', { cameraUuid, transport: 'udp' });
  await change('/api/camera/probeCamera', { cameraUuid });
  await change('/api/camera/createPreviewGrant', { cameraUuid });
  await change('/api/camera/scanOnvifCameras', {});
  await change('/api/camera/inspectOnvifCamera', { ipAddress: '192.0.2.10' });
  await change('/api/camera/updateDetailsV2', { uuid: camera.uuid, name: 'East', nameUpdated: true });
  await change('/api/camera/updateConfig', { config: { deviceUuid: camera.uuid, hdr_enabled: true } });
  const configUpdate = { deviceUuid: camera.uuid, hdr_enabled: false };
  await change('/api/camera/updateFacetedConfig', { configUpdate });
  await change('/api/camera/setPrivacyMasks', { cameraUuid: camera.uuid, masks: [MASK] });
  await change('/api/camera/startRecording', { cameraUuid: camera.uuid });
  await change('/api/camera/stopRecording', { cameraUuid: camera.uuid });
  await change('/api/camera/pauseCamera', { cameraUuid: camera.uuid });
  await change('/api/camera/endCameraPause', { cameraUuid: camera.uuid });
  const named = { cameraUuid: camera.uuid, footageSeekPoints: [{ timestampMs: 1_000, name: 'Delivery' }] };
  await change('/api/camera/createCustomFootageSeekpoints', named);
  const ofCamera = { cameraUuids: [camera.uuid], startTimestampMs: 0, endTimestampMs: 1_000 };
  await change('/api/camera/deleteCustomFootageSeekpoints', ofCamera);
  const bell = { doorbellCameraUuid: doorbell.uuid };
  const bellShare = await change('/api/doorbellcamera/createSharedLiveVideoStream', { ...bell, ...share });
  const { sharedLiveVideoStreamUuid: bellShareUuid } = bellShare;
  await change('/api/doorbellcamera/deleteSharedLiveVideoStream', { ...bell, uuid: bellShareUuid });
  await change('/api/doorbellcamera/delete', { doorbellCameraUuid: doorbell.uuid, mummify: false });
}

async function changeNvrs(): Promise<void> {
  const { nvrUuid, camera } = fixture.own;
  fixture.rtspCameras.byUrl.set(RTSP_URL, { login: 'viewer:secret' });
  const login = { username: 'viewer', password: 'secret' };
  await change('/api/relay/updateDetailsV2', { uuid: nvrUuid, floorNumber: 2, floorNumberUpdated: true });
  const { result } = await change('/api/relay/manualDiscoverCamera', { rtspUrl: RTSP_URL });
  const thirdPartyCameraMacAddress = (result as { macAddress: string }).macAddress;
  await change('/api/relay/authenticateThirdPartyCamera', { rtspUrl: RTSP_URL, ...login });
  const { deviceUuid } = await change('/api/relay/assignThirdPartyCameraToNVR', {
    nvruuid: nvrUuid,
    rtspUrl: RTSP_URL,
  });
  await change('/api/relay/unassignThirdPartyCamera', { thirdPartyCameraUuid: deviceUuid });
  await change('/api/relay/deleteThirdPartyCameraDiscovery', { thirdPartyCameraMacAddress });
  const { passwordUuid } = await change('/api/relay/createThirdPartyCameraPassword', login);
  const onvifCamera = (host: string) => ({
    device: {
      manufacturer: 'Example',
      model: 'Dome 4',
      streams: [{ profileToken: 'main', codec: 'h264', rtspUrl: `rtsp://${host}/main` }],
    },
  });
  fixture.onvifCameras.byHost.set('192.0.2.20', onvifCamera('192.0.2.20'));
  await change('/api/relay/executeThirdPartyCameraDiscovery', {});
  fixture.onvifCameras.byHost.set('192.0.2.21', onvifCamera('192.0.2.21'));
  await change('/api/relay/addThirdPartyCameraViaOnvif', { ipAddress: '192.0.2.21' });
  await change('/api/relay/deleteThirdPartyCameraPassword', { passwordUuid });
  await movePtz(camera.uuid);
  const pushed = await change('/api/relay/addThirdPartyCameraViaRtmp', { name: 'Dock' });
  const ofPushed = { cameraUuid: pushed.deviceUuid };
  await change('/api/relay/createThirdPartyCameraPublishKey', ofPushed);
  await change('/api/relay/deleteThirdPartyCameraPublishKey', ofPushed);
  await change('/api/camera/delete', { cameraUuid: camera.uuid });
  await change('/api/relay/createNvr', { name: 'Core 2' });
  await change('/api/relay/unregister', { nvruuid: nvrUuid });
}

async function movePtz(cameraUuid: string): Promise<void> {
  fixture.onvifCameras.byHost.set('camera.example', OBEDIENT_CAMERA);
  await change('/api/relay/movePtz', { cameraUuid, mode: 'RELATIVE', pan: 1 });
  await change('/api/relay/stopPtz', { cameraUuid });
  const { presetToken } = await change('/api/relay/setPtzPreset', { cameraUuid, name: 'Gate' });
  await change('/api/relay/gotoPtzPreset', { cameraUuid, presetToken });
  await change('/api/relay/removePtzPreset', { cameraUuid, presetToken });
}

async function changeEmergencies(cameraUuid: string): Promise<void> {
  const named = { name: 'Dispatch', partnerType: 'RAPIDSOS' };
  const { partner } = await change('/api/emergency/setEmergencyPartner', named);
  const { emergencyPartnerUuid } = partner as unknown as { emergencyPartnerUuid: string };
  const ofPartner = { emergencyPartnerUuid, minutes: 5 };
  const { emergencyRule } = await change('/api/emergency/setEmergencyRule', { name: 'Panic', ...ofPartner });
  const { emergencyRuleUuid } = emergencyRule as unknown as { emergencyRuleUuid: string };
  const opening = { ...ofPartner, cameraUuids: [cameraUuid], reason: 'Fire' };
  const { emergency } = await change('/api/emergency/openEmergency', opening);
  const { emergencyUuid } = emergency as unknown as { emergencyUuid: string };
  await change('/api/emergency/extendEmergency', { emergencyUuid, minutes: 10 });
  await change('/api/emergency/endEmergency', { emergencyUuid });
  await change('/api/emergency/deleteEmergencyRule', { emergencyRuleUuid });
  await change('/api/emergency/deleteEmergencyPartner', { emergencyPartnerUuid });
}

/** Legal holds and cases. */
async function changeEvidence(cameraUuid: string): Promise<void> {
  const time = { cameraUuid, fromMs: 1_000, toMs: 2_000 };
  await changeEmergencies(cameraUuid);
  const { hold } = await change('/api/evidence/createHold', { ...time, reason: 'Theft' });
  await change('/api/evidence/releaseHold', { holdUuid: (hold as unknown as { uuid: string }).uuid });
  const { case: opened } = await change('/api/evidence/createCase', { title: 'Theft' });
  const { uuid: caseUuid } = opened as unknown as { uuid: string };
  await change('/api/evidence/updateCase', { caseUuid, notes: 'At night' });
  const { item } = await change('/api/evidence/addToCase', { caseUuid, ...time });
  const { uuid: itemUuid } = item as unknown as { uuid: string };
  await change('/api/evidence/removeFromCase', { caseUuid, itemUuid });
  await change('/api/evidence/addToCase', { caseUuid, ...time });
  await change('/api/evidence/sealCase', { caseUuid });
  await change('/api/evidence/createCaseLink', { caseUuid });
  await markSealed(caseUuid);
  await change('/api/evidence/createCaseDownload', { caseUuid });
  await change('/api/evidence/reopenCase', { caseUuid });
  await change('/api/evidence/deleteCase', { caseUuid });
}

/** As a case is whose recordings were hashed. */
async function markSealed(caseUuid: string): Promise<void> {
  const { store, own } = fixture;
  const decide = (now: Case | null): Case => ({ ...now!, body: { ...now!.body, state: 'sealed' } });
  await store.resources.of(CASES).change(own.organization.uuid, caseUuid as Ruuid, decide);
}

async function changeOrganization(): Promise<void> {
  await change('/api/org/updateDetails', { name: 'Main street stores' });
  await change('/api/org/updateCameraNetworks', { networks: ['0.0.0.0/0'] });
  await change('/api/org/generateFederatedSessionToken', {});
  await change('/api/org/createPendingRegistration', { serialNumber: 'NVR-2' });
  const { hardwareList } = await fixture.call('/api/org/findAllHardwareWithPendingRegistration');
  const hardwareUuid = (hardwareList as { uuid: string }[])[0]!.uuid;
  await change('/api/org/updatePendingRegistration', { hardwareUuid, name: 'East wing' });
  await change('/api/org/removePendingRegistration', { serialNumber: 'NVR-2' });
  const location = { name: 'Annex', tz: 'America/New_York' };
  const { uuid: locationUuid } = await change('/api/location/createLocation', { location });
  await change('/api/location/updateLocation', { location: { uuid: locationUuid, tz: 'Europe/Berlin' } });
  const imageData = Buffer.from(TINY_JPEG, 'hex').toString('base64');
  await change('/api/location/setFloorPlan', { locationUuid, imageData });
  await change('/api/location/removeFloorPlan', { locationUuid });
  const { camera } = fixture.own;
  const place = { x: 0.5, y: 0.5, directionDeg: 0, angleDeg: 90, reach: 0.2 };
  await change('/api/location/placeCameraOnPlan', { locationUuid, cameraUuid: camera.uuid, ...place });
  await change('/api/location/removeCameraFromPlan', { cameraUuid: camera.uuid });
  await change('/api/location/deleteLocation', { uuid: locationUuid });
  await changeEvidence(camera.uuid);
  const token = { displayName: 'Video wall', authType: 'API_TOKEN' };
  await change('/api/integrations/org/submitApiTokenApplication', token);
  const { apiTokens } = await fixture.call('/api/integrations/org/getApiTokens');
  const made = (apiTokens as { tokenUuid: string; displayName: string }[]).find(
    ({ displayName }) => displayName === 'Video wall',
  );
  await change('/api/integrations/org/updateApiToken', { tokenUuid: made!.tokenUuid, role: 'viewer' });
  await change('/api/integrations/org/revokeApiToken', { tokenUuid: made!.tokenUuid });
  const partnerKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'partner-api' });
  await change('/api/partner/submitApiTokenApplication', token, { 'x-auth-apikey': partnerKey });
}

async function changeOAuth(): Promise<void> {
  const redirectUri = 'https://desk.example/callback';
  const { clientId } = await change('/api/oauth/submitApplication', { name: 'Desk', redirectUri });
  await change('/api/oauth/updateApplication', { clientId, redirectUri: `${redirectUri}/2` });
  await change('/api/oauth/deleteApplication', { clientId });
  const oauth = new OAuthTester(fixture);
  await oauth.tokens(await oauth.register());
  const [grant] = await fixture.store.oauthGrants.list(fixture.own.organization.uuid);
  await change('/api/oauth/revokeGrant', { grantUuid: grant!.uuid });
}

async function changeSchedules(): Promise<void> {
  const intervalList = [{ b: LATER_SEC, e: LATER_SEC + 60 }];
  const weeks = [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }];
  const weekly = await change('/api/schedule/createWeeklySchedule', {
    schedule: { name: 'Hours', intervalList: weeks },
  });
  await change('/api/policy/createSchedule', {
    schedule: { name: 'Nights', strategy: 'WEEKLY_REPEATING_MINUTES', intervalList: weeks },
  });
  await change('/api/policy/updateSchedule', {
    schedule: { uuid: weekly.scheduleUuid, intervalList: weeks, name: 'Office hours' },
  });
  const absolute = await change('/api/schedule/createAbsoluteSchedule', {
    schedule: { name: 'Opening', intervalList },
  });
  await change('/api/schedule/updateAbsoluteSchedule', {
    schedule: { uuid: absolute.scheduleUuid, intervalList },
  });
  await change('/api/schedule/deleteSchedule', { scheduleUuid: absolute.scheduleUuid });
  const shift = await change('/api/policy/createSchedule', {
    schedule: { name: 'Shift', intervalList: weeks },
  });
  await change('/api/policy/deleteSchedule', { scheduleUuid: shift.scheduleUuid });
  await change('/api/schedule/createRealtimeRelativeSchedule', {
    schedule: { name: 'Last hour', pastSeconds: 3_600 },
  });
  await change('/api/schedule/createRelativeDateTimeSchedule', {
    schedule: {
      name: 'Holiday',
      intervals: [{ localStartDateTime: '2026-12-24T12:00:00', localEndDateTime: '2026-12-27T00:00:00' }],
    },
  });
}

async function changePolicies(): Promise<void> {
  const { camera, doorbell, locationUuid } = fixture.own;
  const triggerSet = [{ activity: 'TEMP_HIGH', threshold: 27.5 }];
  await change('/api/policy/updateClimatePolicy', {
    policy: { uuid: newRuuid(), name: 'Server room', scheduledTriggers: [{ triggerSet }] },
  });
  await change('/api/policy/pauseAlertPolicyForComponentComposite', {
    deviceUuids: [doorbell.uuid],
    durationSec: 60,
  });
  const tag = newRuuid();
  await fixture.call('/api/ingest/proximityTags', { rows: [{ uuid: tag, name: 'Porter' }] });
  await change('/api/proximity/updateDetails', { uuid: tag, name: 'Porter 3', nameUpdated: true });
  const alert = { uuid: newRuuid(), deviceUuid: camera.uuid, timestampMs: LATER_SEC * 1_000 };
  await fixture.call('/api/ingest/policyAlerts', { rows: [alert] });
  await change('/api/event/acknowledgePolicyAlert', { alertUuid: alert.uuid, note: 'The usual van' });
  const dismissed = { ...alert, uuid: newRuuid() };
  await fixture.call('/api/ingest/policyAlerts', { rows: [dismissed] });
  await change('/api/event/dismissPolicyAlertV2', { alertUuid: dismissed.uuid });
  const ofAlert = { alertUuids: [dismissed.uuid] };
  await change('/api/event/reopenPolicyAlerts', ofAlert);
  await change('/api/event/takePolicyAlert', { alertUuid: dismissed.uuid });
  await change('/api/event/releasePolicyAlert', { alertUuid: dismissed.uuid });
  await change('/api/event/acknowledgePolicyAlerts', ofAlert);
  await change('/api/event/savePolicyAlertV2', { alertUuid: alert.uuid });
  const { savedClips } = await fixture.call('/api/event/getSavedClipsV2');
  const savedClipUuid = (savedClips as { uuid: string }[])[0]!.uuid;
  await change('/api/event/updateSavedClip', { savedClipUuid, title: 'At the dock' });
  await change('/api/event/deleteSavedClip', { savedClipUuid });
  const order = { deviceUuids: [camera.uuid], startTimeMillis: 1_000, durationSec: 1 };
  await change('/api/video/spliceV2', order);
  await fixture.clips.settled();
  const { clipUuid } = await change('/api/video/spliceV3', order);
  await fixture.clips.settled();
  const shared = { uuids: [{ eventUuid: clipUuid }] };
  const { uuid } = await change('/api/event/createSharedClipGroupV3', shared);
  await change('/api/event/updateSharedClipGroupV2', { sharedClipUuid: uuid, title: 'Tuesday' });
  await change('/api/event/deleteSharedClipGroupV2', { uuid });
  await change('/api/event/createClipDownload', { clipUuids: [clipUuid] });
  await change('/api/video/retrySplice', { clipUuid });
  await fixture.clips.settled();
  await change('/api/video/cancelSpliceV2', { clipUuid });
  const timelapse = await change('/api/video/generateTimelapseClip', {
    deviceUuids: [camera.uuid],
    startTime: 1_000,
    stopTime: 3_000,
    videoDuration: 1,
  });
  await fixture.clips.settled();
  const timelapses = await change('/api/video/createSharedTimelapseGroup', {
    timelapseUuids: [timelapse.clipUuid],
  });
  await change('/api/video/updateSharedTimelapseGroup', {
    uuid: timelapses.uuid,
    plaintextPassword: 'open',
    passwordUpdate: true,
  });
  await change('/api/video/deleteSharedTimelapseGroup', { uuid: timelapses.uuid });
  await change('/api/video/deleteTimelapseClips', { clipUuids: [timelapse.clipUuid] });
  await change('/api/customer/updateCurrentUserNotificationSettings', {
    smsPhoneNumbers: ['+1 202 555 0123'],
  });
  const rule = { locationUuid, ruleName: 'Panic', action: { alertAction: true } };
  const { ruleUuid } = await change('/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', {
    rule,
  });
  await change('/api/accesscontrol/lockdownPlan/deleteLockdownRule', { ruleUuid });
}

async function changeAccessControl(): Promise<void> {
  const door = { uuid: newRuuid(), ownerDeviceUuid: newRuuid(), name: 'Dock' };
  await fixture.call('/api/ingest/doors', { rows: [door] });
  await change('/api/component/updateAccessControlledDoor', {
    accessControlledDoorUuid: door.uuid,
    unlockTimeSec: 10,
  });
  const landing = { uuid: newRuuid(), ownerDeviceUuid: newRuuid() };
  await fixture.call('/api/ingest/elevatorLandings', { rows: [landing] });
  const label = { accessControlledElevatorLandingUuid: landing.uuid, label: 'Executive floors' };
  await change('/api/component/elevator/addAccessControlledElevatorLandingLabel', label);
  await change('/api/component/elevator/removeAccessControlledElevatorLandingLabel', label);
  await change('/api/integrations/accessControl/updateBadgeVendorAIntegrationV2', {
    badgeVendorASettings: { enabled: false },
  });
  await change('/api/integrations/accessControl/updateBadgeVendorBIntegrationV2', { enabled: true });
  await change('/api/integrations/accessControl/updateAlarmVendorIntegration', { enabled: true });
  await change('/api/integrations/accessControl/deleteAlarmVendorIntegration', {});
  await change('/api/integrations/webhooks/updateWebhookIntegrationV2', {
    webhookUrl: 'https://hook.example.com/',
  });
  await fixture.store.people.save(samplePerson(fixture.own.organization.uuid, { email: 'test@example.com' }));
  await change('/api/console/sendTestMail', { to: 'test@example.com' });
  const { alarmReceiverUuid } = await change('/api/console/setAlarmReceiver', {
    name: 'Center',
    address: 'site@center.example',
  });
  await change('/api/console/sendAlarmTest', { alarmReceiverUuid });
  await change('/api/console/deleteAlarmReceiver', { alarmReceiverUuid });
  await change('/api/console/sendLinkMail', {
    url: 'http://media.example/live/x',
    to: 'bo@example.com',
    name: 'Gate',
  });
  await change('/api/console/updateMailSettings', { senderName: 'Harbor' });
  await change('/api/webhook/sendTestDelivery', { webhookUrl: 'https://hook.example.com/' });
  await change('/api/integrations/webhooks/deleteWebhookIntegrationV2', {});
}

async function changeSamlProviders(): Promise<void> {
  const metadata = { metadataUrl: 'https://login.example/metadata' };
  const { samlProvider } = await change('/api/console/addSamlProvider', {
    label: 'Example Login',
    metadata,
    settings: { ...EXAMPLE_SETTINGS, roleRules: [] },
  });
  const { providerUuid } = samlProvider as { providerUuid: string };
  await change('/api/console/updateSamlProvider', { providerUuid, label: 'Login' });
  await change('/api/console/refreshSamlProvider', { providerUuid });
  await change('/api/console/beginSamlTest', { providerUuid });
  await change('/api/console/renewSamlKey', {});
  await change('/api/console/finishSamlKeyRenewal', {});
  await change('/api/console/deleteSamlProvider', { providerUuid });
}

async function changeOidcProviders(): Promise<void> {
  const { oidcProvider } = await change('/api/console/addOidcProvider', {
    label: 'Example Login',
    issuer: 'https://login.example.com',
    clientId: 'sluice',
    clientSecret: 'secret',
    settings: { ...OIDC_SETTINGS, roleRules: [] },
  });
  const { providerUuid } = oidcProvider as { providerUuid: string };
  await change('/api/console/updateOidcProvider', { providerUuid, label: 'Login' });
  await change('/api/console/checkSignInDomain', { domain: 'example.com' });
  await change('/api/console/deleteOidcProvider', { providerUuid });
}

async function operateGateway(): Promise<void> {
  await change('/api/console/reloadConfig', {});
  await change('/api/console/createSupportBundle', {});
  const changes = [{ path: 'hls.window', action: 'SET', value: '30s' }];
  await change('/api/console/updateSettings', { revision: 0, changes });
  await change('/api/console/revertSettings', { revision: 1, changeRevision: 1 });
  await change('/api/console/restartGateway', {});
  // In memory, for minutes: nothing to record.
  await change('/api/console/createPublicUrlCheck', {});
}

const MASK = {
  name: '',
  points: [
    { x: 0, y: 0 },
    { x: 9, y: 0 },
    { x: 0, y: 9 },
  ],
};

it('writes a row for every change that an endpoint makes', async () => {
  await changeOrganization();
  await changeOAuth();
  await changeSchedules();
  await changePolicies();
  await changeAccessControl();
  await changeCameras();
  await changeNvrs();
  await operateGateway();
  await changeSamlProviders();
  await changeOidcProviders();
  await changePeople({ fixture, change, noting });
  const changing = ENDPOINTS.map(({ path }) => path).filter((path) => !READING.test(path));
  expect([...written.keys()].sort()).toEqual(changing.sort());
  const rows = [...written].sort().map(([path, actions]) => `${path}: ${actions.join(', ')}`);
  expect(rows).toMatchInlineSnapshot(`
    [
      "/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation: RULE_CREATE",
      "/api/accesscontrol/lockdownPlan/deleteLockdownRule: RULE_DELETE",
      "/api/camera/bulkUpdateSharedStreams: SHARED_LIVE_VIDEO_STREAM_UPDATE",
      "/api/camera/createCamera: DEVICE_REGISTERED",
      "/api/camera/createCustomFootageSeekpoints: CREATE_SEEKPOINT",
      "/api/camera/createPreviewGrant: ",
      "/api/camera/createProtectedSharedLiveVideoStream: SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE",
      "/api/camera/createProtectedSharedVideoWall: SHARED_VIDEOWALL_WITH_PASSWORD_CREATE",
      "/api/camera/createSharedLiveVideoStream: SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE",
      "/api/camera/createSharedVideoWall: SHARED_VIDEOWALL_WITHOUT_PASSWORD_CREATE",
      "/api/camera/createVideoWall: VIDEO_WALL_CREATE",
      "/api/camera/delete: CAMERA_CONFIG_DELETE, CAMERA_PAUSE_DELETE, DELETE_CAMERA, SHARED_LIVE_VIDEO_STREAM_DELETE",
      "/api/camera/deleteCustomFootageSeekpoints: DELETE_CUSTOM_SEEKPOINT",
      "/api/camera/deleteSharedLiveVideoStream: SHARED_LIVE_VIDEO_STREAM_DELETE",
      "/api/camera/deleteSharedVideoWall: SHARED_VIDEOWALL_DELETE",
      "/api/camera/deleteVideoWall: SHARED_VIDEOWALL_DELETE, VIDEO_WALL_DELETE",
      "/api/camera/endCameraPause: CAMERA_PAUSE_ENDED",
      "/api/camera/endSharedStreamViewer: SHARED_VIEWER_END",
      "/api/camera/inspectOnvifCamera: ",
      "/api/camera/pauseCamera: CAMERA_PAUSED",
      "/api/camera/probeCamera: ",
      "/api/camera/scanOnvifCameras: ",
      "/api/camera/setPrivacyMasks: CAMERA_PRIVACY_MASKS_UPDATE",
      "/api/camera/startRecording: START_CAMERA_RECORDING",
      "/api/camera/stopRecording: STOP_CAMERA_RECORDING",
      "/api/camera/unblockSharedStreamAddress: SHARED_ADDRESS_UNBLOCK",
      "/api/camera/updateCameraSource: DEVICE_UPDATE",
      "/api/camera/updateConfig: DEVICE_SETTINGS_UPDATE",
      "/api/camera/updateDetailsV2: DEVICE_UPDATE",
      "/api/camera/updateFacetedConfig: DEVICE_SETTINGS_UPDATE",
      "/api/camera/updateSharedLiveVideoStream: SHARED_LIVE_VIDEO_STREAM_UPDATE",
      "/api/camera/updateSharedVideoWall: SHARED_VIDEOWALL_UPDATE",
      "/api/camera/updateVideoWalls: VIDEO_WALL_UPDATE",
      "/api/component/elevator/addAccessControlledElevatorLandingLabel: ACCESS_CONTROLLED_ELEVATOR_LANDING_UPDATE",
      "/api/component/elevator/removeAccessControlledElevatorLandingLabel: ACCESS_CONTROLLED_ELEVATOR_LANDING_UPDATE",
      "/api/component/updateAccessControlledDoor: ACCESS_CONTROLLED_DOOR_UPDATE",
      "/api/console/acceptInvite: LOGIN_WEB",
      "/api/console/addOidcProvider: OIDC_PROVIDER_CREATE, SIGN_IN_DOMAIN_CREATE",
      "/api/console/addPasskey: PASSKEY_CREATE",
      "/api/console/addPushSubscription: PUSH_SUBSCRIPTION_CREATE",
      "/api/console/addSamlProvider: SAML_PROVIDER_CREATE, SIGN_IN_DOMAIN_CREATE",
      "/api/console/beginAddingPasskey: ",
      "/api/console/beginConfirmation: ",
      "/api/console/beginInvitePasskey: ",
      "/api/console/beginPasskeySignIn: ",
      "/api/console/beginPushSubscription: PUSH_KEY_CREATE",
      "/api/console/beginSamlTest: ",
      "/api/console/changePassword: USER_PASSWORD_UPDATE",
      "/api/console/checkSignInDomain: ",
      "/api/console/confirmIdentity: LOGIN_CONFIRM_WEB",
      "/api/console/createPublicUrlCheck: ",
      "/api/console/createScimToken: SCIM_TOKEN_CREATE",
      "/api/console/createSupportBundle: GATEWAY_SUPPORT_BUNDLE_CREATE",
      "/api/console/deleteAlarmReceiver: ALARM_RECEIVER_DELETE",
      "/api/console/deleteOidcProvider: OIDC_PROVIDER_DELETE, SIGN_IN_DOMAIN_DELETE",
      "/api/console/deletePasskey: PASSKEY_DELETE",
      "/api/console/deletePerson: DELETE_USER",
      "/api/console/deletePushSubscription: PUSH_SUBSCRIPTION_DELETE",
      "/api/console/deleteSamlProvider: SAML_PROVIDER_DELETE, SIGN_IN_DOMAIN_DELETE",
      "/api/console/deleteScimMapping: SCIM_MAPPING_DELETE",
      "/api/console/endSession: LOGOUT_WEB",
      "/api/console/finishSamlKeyRenewal: SAML_KEY_UPDATE",
      "/api/console/invitePerson: INVITATION_CREATE",
      "/api/console/refreshSamlProvider: SAML_PROVIDER_UPDATE",
      "/api/console/reloadConfig: GATEWAY_CONFIG_RELOAD",
      "/api/console/renamePasskey: PASSKEY_UPDATE",
      "/api/console/renewSamlKey: SAML_KEY_CREATE, SAML_KEY_UPDATE",
      "/api/console/restartGateway: GATEWAY_RESTART",
      "/api/console/revertSettings: GATEWAY_SETTINGS_UPDATE",
      "/api/console/revokeScimToken: SCIM_TOKEN_DELETE",
      "/api/console/sendAlarmTest: MAIL_CREATE",
      "/api/console/sendLinkMail: MAIL_CREATE",
      "/api/console/sendTestMail: MAIL_CREATE",
      "/api/console/setAlarmReceiver: ALARM_RECEIVER_CREATE",
      "/api/console/setScimMapping: SCIM_MAPPING_CREATE",
      "/api/console/signIn: LOGIN_WEB, LOGOUT_WEB",
      "/api/console/signInWithPasskey: LOGIN_WEB, LOGOUT_WEB",
      "/api/console/signOut: LOGOUT_WEB",
      "/api/console/updateMailSettings: MAIL_SETTINGS_CREATE",
      "/api/console/updateOidcProvider: OIDC_PROVIDER_UPDATE",
      "/api/console/updatePerson: USER_ROLE_UPDATE",
      "/api/console/updateSamlProvider: SAML_PROVIDER_UPDATE",
      "/api/console/updateServiceProbe: SERVICE_PROBE_CREATE",
      "/api/console/updateSettings: GATEWAY_SETTINGS_UPDATE",
      "/api/customer/updateCurrentUserNotificationSettings: NOTIFICATION_SETTINGS_CREATE",
      "/api/doorbellcamera/createSharedLiveVideoStream: SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE",
      "/api/doorbellcamera/delete: DELETE_CAMERA",
      "/api/doorbellcamera/deleteSharedLiveVideoStream: SHARED_LIVE_VIDEO_STREAM_DELETE",
      "/api/emergency/deleteEmergencyPartner: EMERGENCY_PARTNER_DELETE",
      "/api/emergency/deleteEmergencyRule: EMERGENCY_RULE_DELETE",
      "/api/emergency/endEmergency: EMERGENCY_CLOSE",
      "/api/emergency/extendEmergency: EMERGENCY_EXTEND",
      "/api/emergency/openEmergency: EMERGENCY_OPEN",
      "/api/emergency/setEmergencyPartner: EMERGENCY_PARTNER_CREATE",
      "/api/emergency/setEmergencyRule: EMERGENCY_RULE_CREATE",
      "/api/event/acknowledgePolicyAlert: ALERT_ACKNOWLEDGEMENT_CREATE",
      "/api/event/acknowledgePolicyAlerts: ALERT_ACKNOWLEDGEMENT_CREATE",
      "/api/event/createClipDownload: SHARED_CLIP_CREATE",
      "/api/event/createSharedClipGroupV3: SHARED_CLIP_CREATE",
      "/api/event/deleteSavedClip: SAVED_CLIP_DELETE",
      "/api/event/deleteSharedClipGroupV2: SHARED_CLIP_DELETE",
      "/api/event/dismissPolicyAlertV2: ALERT_ACKNOWLEDGEMENT_CREATE",
      "/api/event/releasePolicyAlert: ALERT_TAKING_DELETE",
      "/api/event/reopenPolicyAlerts: ALERT_ACKNOWLEDGEMENT_DELETE",
      "/api/event/savePolicyAlertV2: SAVED_CLIP_CREATE",
      "/api/event/takePolicyAlert: ALERT_TAKING_CREATE",
      "/api/event/updateSavedClip: SAVED_CLIP_UPDATE",
      "/api/event/updateSharedClipGroupV2: SHARED_CLIP_UPDATE",
      "/api/evidence/addToCase: CASE_UPDATE, HOLD_CREATE",
      "/api/evidence/createCase: CASE_CREATE",
      "/api/evidence/createCaseDownload: SHARED_CLIP_CREATE",
      "/api/evidence/createCaseLink: SHARED_CLIP_CREATE",
      "/api/evidence/createHold: HOLD_CREATE",
      "/api/evidence/deleteCase: CASE_DELETE, HOLD_DELETE",
      "/api/evidence/releaseHold: HOLD_DELETE",
      "/api/evidence/removeFromCase: CASE_UPDATE, HOLD_DELETE",
      "/api/evidence/reopenCase: CASE_UPDATE, SHARED_CLIP_DELETE, SHARED_CLIP_DELETE",
      "/api/evidence/sealCase: CASE_UPDATE",
      "/api/evidence/updateCase: CASE_UPDATE",
      "/api/integrations/accessControl/deleteAlarmVendorIntegration: ALARM_VENDOR_INTEGRATION_DELETE",
      "/api/integrations/accessControl/updateAlarmVendorIntegration: UPDATE_INTEGRATION_ALARM_MONITORING",
      "/api/integrations/accessControl/updateBadgeVendorAIntegrationV2: BADGE_VENDOR_A_INTEGRATION_CREATE",
      "/api/integrations/accessControl/updateBadgeVendorBIntegrationV2: BADGE_VENDOR_B_INTEGRATION_CREATE",
      "/api/integrations/org/revokeApiToken: API_TOKEN_REVOKE",
      "/api/integrations/org/submitApiTokenApplication: API_TOKEN_REQUEST",
      "/api/integrations/org/updateApiToken: API_TOKEN_UPDATE",
      "/api/integrations/webhooks/deleteWebhookIntegrationV2: DELETE_INTEGRATION_WEBHOOK, WEBHOOK_DELETE",
      "/api/integrations/webhooks/updateWebhookIntegrationV2: UPDATE_INTEGRATION_WEBHOOK, WEBHOOK_CREATE",
      "/api/location/createLocation: LOCATION_CREATE",
      "/api/location/deleteLocation: DELETE_LOCATION",
      "/api/location/placeCameraOnPlan: PLAN_PLACE_CREATE",
      "/api/location/removeCameraFromPlan: PLAN_PLACE_DELETE",
      "/api/location/removeFloorPlan: FLOOR_PLAN_DELETE",
      "/api/location/setFloorPlan: FLOOR_PLAN_CREATE",
      "/api/location/updateLocation: LOCATION_UPDATED",
      "/api/oauth/deleteApplication: API_OAUTH_DELETE_APPLICATION",
      "/api/oauth/revokeGrant: API_OAUTH_TOKEN_REVOKE",
      "/api/oauth/submitApplication: API_OAUTH_SUBMIT_APPLICATION",
      "/api/oauth/updateApplication: API_OAUTH_UPDATE_APPLICATION",
      "/api/org/createPendingRegistration: PENDING_REGISTRATION_CREATE",
      "/api/org/generateFederatedSessionToken: FEDERATED_SESSION_CREATE",
      "/api/org/removePendingRegistration: PENDING_REGISTRATION_DELETE",
      "/api/org/updateCameraNetworks: ORG_UPDATE",
      "/api/org/updateDetails: ORG_UPDATE",
      "/api/org/updatePendingRegistration: PENDING_REGISTRATION_UPDATE",
      "/api/partner/submitApiTokenApplication: API_TOKEN_REQUEST",
      "/api/policy/createSchedule: SCHEDULE_CREATE",
      "/api/policy/deleteSchedule: SCHEDULE_DELETE",
      "/api/policy/pauseAlertPolicyForComponentComposite: POLICY_PAUSED_DEVICE",
      "/api/policy/updateClimatePolicy: CLIMATE_POLICY_CREATE",
      "/api/policy/updateSchedule: SCHEDULE_UPDATE",
      "/api/proximity/updateDetails: PROXIMITY_TAG_UPDATE",
      "/api/relay/addThirdPartyCameraViaOnvif: THIRD_PARTY_CAMERA_CREATE, THIRD_PARTY_CAMERA_UPDATED",
      "/api/relay/addThirdPartyCameraViaRtmp: DEVICE_REGISTERED",
      "/api/relay/assignThirdPartyCameraToNVR: DEVICE_REGISTERED, THIRD_PARTY_CAMERA_UPDATED",
      "/api/relay/authenticateThirdPartyCamera: THIRD_PARTY_CAMERA_UPDATED",
      "/api/relay/createNvr: DEVICE_REGISTERED",
      "/api/relay/createThirdPartyCameraPassword: THIRD_PARTY_CAMERA_PASSWORD_CREATE",
      "/api/relay/createThirdPartyCameraPublishKey: PUBLISH_KEY_CREATE",
      "/api/relay/deleteThirdPartyCameraDiscovery: THIRD_PARTY_CAMERA_DELETE",
      "/api/relay/deleteThirdPartyCameraPassword: THIRD_PARTY_CAMERA_PASSWORD_DELETE",
      "/api/relay/deleteThirdPartyCameraPublishKey: PUBLISH_KEY_DELETE",
      "/api/relay/executeThirdPartyCameraDiscovery: THIRD_PARTY_CAMERA_CREATE",
      "/api/relay/gotoPtzPreset: GOTO_CAMERA_PTZ_PRESET",
      "/api/relay/manualDiscoverCamera: THIRD_PARTY_CAMERA_CREATE",
      "/api/relay/movePtz: MOVE_CAMERA_PTZ",
      "/api/relay/removePtzPreset: REMOVE_CAMERA_PTZ_PRESET",
      "/api/relay/setPtzPreset: SET_CAMERA_PTZ_PRESET",
      "/api/relay/stopPtz: STOP_CAMERA_PTZ",
      "/api/relay/unassignThirdPartyCamera: DELETE_CAMERA, THIRD_PARTY_CAMERA_UPDATED",
      "/api/relay/unregister: DEVICE_DETAILS_DELETE, NVR_DELETE",
      "/api/relay/updateDetailsV2: DEVICE_UPDATE",
      "/api/schedule/createAbsoluteSchedule: SCHEDULE_CREATE",
      "/api/schedule/createRealtimeRelativeSchedule: SCHEDULE_CREATE",
      "/api/schedule/createRelativeDateTimeSchedule: SCHEDULE_CREATE",
      "/api/schedule/createWeeklySchedule: SCHEDULE_CREATE",
      "/api/schedule/deleteSchedule: SCHEDULE_DELETE",
      "/api/schedule/updateAbsoluteSchedule: SCHEDULE_UPDATE",
      "/api/video/cancelSpliceV2: CLIP_JOB_DELETE, SAVED_CLIP_DELETE",
      "/api/video/createSharedTimelapseGroup: SHARED_TIMELAPSE_GROUP_CREATE",
      "/api/video/deleteSharedTimelapseGroup: SHARED_TIMELAPSE_GROUP_DELETE",
      "/api/video/deleteTimelapseClips: TIMELAPSE_DELETE",
      "/api/video/generateTimelapseClip: CLIP_JOB_CREATE, TIMELAPSE_CREATE",
      "/api/video/retrySplice: CLIP_JOB_UPDATE, SAVED_CLIP_UPDATE",
      "/api/video/spliceV2: CLIP_JOB_CREATE, SAVED_CLIP_CREATE",
      "/api/video/spliceV3: CLIP_JOB_CREATE, SAVED_CLIP_CREATE",
      "/api/video/updateSharedTimelapseGroup: SHARED_TIMELAPSE_GROUP_UPDATE",
      "/api/webhook/sendTestDelivery: WEBHOOK_DELIVERY_CREATE",
    ]
  `);
});
