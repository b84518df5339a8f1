import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { OAuthTester } from '../oauth-fixture.ts';

/** Endpoints that only read. Device reports are not changes of what is managed, unless they are listed here as such. */
const READING = /\/(get|find|validate)[^/]*$|^\/api\/ingest\//;
const RTSP_URL = 'rtsp://192.0.2.10/stream1';
const LATER_SEC = 1_767_290_400;

interface Entry {
  readonly action: string;
  readonly principalUuid?: string;
  readonly targetUuid: string;
}

let fixture: ApiFixture;
const written = new Map<string, string[]>();
beforeAll(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  const { store, own } = fixture;
  // Only the configuration can remove what it declares.
  await store.cameras.save({ ...own.camera, fromConfig: false });
  await store.cameras.save({ ...own.doorbell, fromConfig: false });
  const nvr = await store.nvrs.find(own.organization.uuid, own.nvrUuid);
  await store.nvrs.save({ ...nvr!, fromConfig: false });
});
afterAll(() => fixture.close());

/** Calls an endpoint and records the rows that it leaves under the caller's name. */
async function change(path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
  fixture.clock.advance(1);
  const startMs = fixture.clock.epochMs();
  const answer = await fixture.call(path, body, headers);
  expect(answer.errorMsg, path).toBeUndefined();
  const feed = await fixture.call('/api/report/getAuditFeed', { timestampMsAfter: startMs });
  const entries = (feed.auditEvents as Entry[]).filter(({ principalUuid }) => principalUuid !== undefined);
  written.set(path, entries.map(({ action }) => action).sort());
  return answer;
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
  await change('/api/camera/deleteSharedLiveVideoStream', { cameraUuid: camera.uuid, uuid });
  await change('/api/camera/updateDetailsV2', { uuid: camera.uuid, name: 'East', nameUpdated: true });
  await change('/api/camera/updateConfig', { config: { deviceUuid: camera.uuid, hdr_enabled: true } });
  const doorbellShare = await change('/api/doorbellcamera/createSharedLiveVideoStream', {
    doorbellCameraUuid: doorbell.uuid,
    ...share,
  });
  await change('/api/doorbellcamera/deleteSharedLiveVideoStream', {
    doorbellCameraUuid: doorbell.uuid,
    uuid: doorbellShare.sharedLiveVideoStreamUuid,
  });
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
      ...{ manufacturer: 'Example', model: 'Dome 4' },
      streams: [{ profileToken: 'main', codec: 'h264', rtspUrl: `rtsp://${host}/main` }],
    },
  });
  fixture.onvifCameras.byHost.set('192.0.2.20', onvifCamera('192.0.2.20'));
  await change('/api/relay/executeThirdPartyCameraDiscovery', {});
  fixture.onvifCameras.byHost.set('192.0.2.21', onvifCamera('192.0.2.21'));
  await change('/api/relay/addThirdPartyCameraViaOnvif', { ipAddress: '192.0.2.21' });
  await change('/api/relay/deleteThirdPartyCameraPassword', { passwordUuid });
  await change('/api/camera/delete', { cameraUuid: camera.uuid });
  await change('/api/relay/unregister', { nvruuid: nvrUuid });
}

async function changeOrganization(): Promise<void> {
  await change('/api/org/updateDetails', { name: 'Main street stores' });
  await change('/api/org/generateFederatedSessionToken', {});
  await change('/api/org/createPendingRegistration', { serialNumber: 'NVR-2' });
  const { hardwareList } = await fixture.call('/api/org/findAllHardwareWithPendingRegistration');
  const hardwareUuid = (hardwareList as { uuid: string }[])[0]!.uuid;
  await change('/api/org/updatePendingRegistration', { hardwareUuid, name: 'East wing' });
  await change('/api/org/removePendingRegistration', { serialNumber: 'NVR-2' });
  const location = { name: 'Annex', tz: 'America/New_York' };
  const { uuid: locationUuid } = await change('/api/location/createLocation', { location });
  await change('/api/location/updateLocation', { location: { uuid: locationUuid, tz: 'Europe/Berlin' } });
  await change('/api/location/deleteLocation', { uuid: locationUuid });
  const token = { displayName: 'Video wall', authType: 'API_TOKEN' };
  await change('/api/integrations/org/submitApiTokenApplication', token);
  const { apiTokens } = await fixture.call('/api/integrations/org/getApiTokens');
  const made = (apiTokens as { tokenUuid: string; displayName: string }[]).find(
    ({ displayName }) => displayName === 'Video wall',
  );
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
  await change('/api/event/savePolicyAlertV2', { alertUuid: alert.uuid });
  const { savedClips } = await fixture.call('/api/event/getSavedClipsV2');
  await change('/api/event/deleteSavedClip', { savedClipUuid: (savedClips as { uuid: string }[])[0]!.uuid });
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
  await change('/api/integrations/webhooks/deleteWebhookIntegrationV2', {});
}

it('writes a row for every change that an endpoint makes', async () => {
  await changeOrganization();
  await changeOAuth();
  await changeSchedules();
  await changePolicies();
  await changeAccessControl();
  await changeCameras();
  await changeNvrs();
  const changing = ENDPOINTS.map(({ path }) => path).filter((path) => !READING.test(path));
  expect([...written.keys()].sort()).toEqual(changing.sort());
  expect(Object.fromEntries([...written].sort())).toMatchInlineSnapshot(`
    {
      "/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation": [
        "RULE_CREATE",
      ],
      "/api/accesscontrol/lockdownPlan/deleteLockdownRule": [
        "RULE_DELETE",
      ],
      "/api/camera/createProtectedSharedLiveVideoStream": [
        "SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE",
      ],
      "/api/camera/createSharedLiveVideoStream": [
        "SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE",
      ],
      "/api/camera/delete": [
        "CAMERA_CONFIG_DELETE",
        "DELETE_CAMERA",
        "SHARED_LIVE_VIDEO_STREAM_DELETE",
      ],
      "/api/camera/deleteSharedLiveVideoStream": [
        "SHARED_LIVE_VIDEO_STREAM_DELETE",
      ],
      "/api/camera/updateConfig": [
        "DEVICE_SETTINGS_UPDATE",
      ],
      "/api/camera/updateDetailsV2": [
        "DEVICE_UPDATE",
      ],
      "/api/camera/updateSharedLiveVideoStream": [
        "SHARED_LIVE_VIDEO_STREAM_UPDATE",
      ],
      "/api/component/elevator/addAccessControlledElevatorLandingLabel": [
        "ACCESS_CONTROLLED_ELEVATOR_LANDING_UPDATE",
      ],
      "/api/component/elevator/removeAccessControlledElevatorLandingLabel": [
        "ACCESS_CONTROLLED_ELEVATOR_LANDING_UPDATE",
      ],
      "/api/component/updateAccessControlledDoor": [
        "ACCESS_CONTROLLED_DOOR_UPDATE",
      ],
      "/api/customer/updateCurrentUserNotificationSettings": [
        "NOTIFICATION_SETTINGS_CREATE",
      ],
      "/api/doorbellcamera/createSharedLiveVideoStream": [
        "SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE",
      ],
      "/api/doorbellcamera/delete": [
        "DELETE_CAMERA",
      ],
      "/api/doorbellcamera/deleteSharedLiveVideoStream": [
        "SHARED_LIVE_VIDEO_STREAM_DELETE",
      ],
      "/api/event/deleteSavedClip": [
        "SAVED_CLIP_DELETE",
      ],
      "/api/event/savePolicyAlertV2": [
        "SAVED_CLIP_CREATE",
      ],
      "/api/integrations/accessControl/deleteAlarmVendorIntegration": [
        "ALARM_VENDOR_INTEGRATION_DELETE",
      ],
      "/api/integrations/accessControl/updateAlarmVendorIntegration": [
        "UPDATE_INTEGRATION_ALARM_MONITORING",
      ],
      "/api/integrations/accessControl/updateBadgeVendorAIntegrationV2": [
        "BADGE_VENDOR_A_INTEGRATION_CREATE",
      ],
      "/api/integrations/accessControl/updateBadgeVendorBIntegrationV2": [
        "BADGE_VENDOR_B_INTEGRATION_CREATE",
      ],
      "/api/integrations/org/revokeApiToken": [
        "API_TOKEN_REVOKE",
      ],
      "/api/integrations/org/submitApiTokenApplication": [
        "API_TOKEN_REQUEST",
      ],
      "/api/integrations/webhooks/deleteWebhookIntegrationV2": [
        "DELETE_INTEGRATION_WEBHOOK",
        "WEBHOOK_DELETE",
      ],
      "/api/integrations/webhooks/updateWebhookIntegrationV2": [
        "UPDATE_INTEGRATION_WEBHOOK",
        "WEBHOOK_CREATE",
      ],
      "/api/location/createLocation": [
        "LOCATION_CREATE",
      ],
      "/api/location/deleteLocation": [
        "DELETE_LOCATION",
      ],
      "/api/location/updateLocation": [
        "LOCATION_UPDATED",
      ],
      "/api/oauth/deleteApplication": [
        "API_OAUTH_DELETE_APPLICATION",
      ],
      "/api/oauth/revokeGrant": [
        "API_OAUTH_TOKEN_REVOKE",
      ],
      "/api/oauth/submitApplication": [
        "API_OAUTH_SUBMIT_APPLICATION",
      ],
      "/api/oauth/updateApplication": [
        "API_OAUTH_UPDATE_APPLICATION",
      ],
      "/api/org/createPendingRegistration": [
        "PENDING_REGISTRATION_CREATE",
      ],
      "/api/org/generateFederatedSessionToken": [
        "FEDERATED_SESSION_CREATE",
      ],
      "/api/org/removePendingRegistration": [
        "PENDING_REGISTRATION_DELETE",
      ],
      "/api/org/updateDetails": [
        "ORG_UPDATE",
      ],
      "/api/org/updatePendingRegistration": [
        "PENDING_REGISTRATION_UPDATE",
      ],
      "/api/partner/submitApiTokenApplication": [
        "API_TOKEN_REQUEST",
      ],
      "/api/policy/createSchedule": [
        "SCHEDULE_CREATE",
      ],
      "/api/policy/deleteSchedule": [
        "SCHEDULE_DELETE",
      ],
      "/api/policy/pauseAlertPolicyForComponentComposite": [
        "POLICY_PAUSED_DEVICE",
      ],
      "/api/policy/updateClimatePolicy": [
        "CLIMATE_POLICY_CREATE",
      ],
      "/api/policy/updateSchedule": [
        "SCHEDULE_UPDATE",
      ],
      "/api/proximity/updateDetails": [
        "PROXIMITY_TAG_UPDATE",
      ],
      "/api/relay/addThirdPartyCameraViaOnvif": [
        "THIRD_PARTY_CAMERA_CREATE",
        "THIRD_PARTY_CAMERA_UPDATED",
      ],
      "/api/relay/assignThirdPartyCameraToNVR": [
        "DEVICE_REGISTERED",
        "THIRD_PARTY_CAMERA_UPDATED",
      ],
      "/api/relay/authenticateThirdPartyCamera": [
        "THIRD_PARTY_CAMERA_UPDATED",
      ],
      "/api/relay/createThirdPartyCameraPassword": [
        "THIRD_PARTY_CAMERA_PASSWORD_CREATE",
      ],
      "/api/relay/deleteThirdPartyCameraDiscovery": [
        "THIRD_PARTY_CAMERA_DELETE",
      ],
      "/api/relay/deleteThirdPartyCameraPassword": [
        "THIRD_PARTY_CAMERA_PASSWORD_DELETE",
      ],
      "/api/relay/executeThirdPartyCameraDiscovery": [
        "THIRD_PARTY_CAMERA_CREATE",
      ],
      "/api/relay/manualDiscoverCamera": [
        "THIRD_PARTY_CAMERA_CREATE",
      ],
      "/api/relay/unassignThirdPartyCamera": [
        "DELETE_CAMERA",
        "THIRD_PARTY_CAMERA_UPDATED",
      ],
      "/api/relay/unregister": [
        "DEVICE_DETAILS_DELETE",
        "NVR_DELETE",
      ],
      "/api/relay/updateDetailsV2": [
        "DEVICE_UPDATE",
      ],
      "/api/schedule/createAbsoluteSchedule": [
        "SCHEDULE_CREATE",
      ],
      "/api/schedule/createRealtimeRelativeSchedule": [
        "SCHEDULE_CREATE",
      ],
      "/api/schedule/createRelativeDateTimeSchedule": [
        "SCHEDULE_CREATE",
      ],
      "/api/schedule/createWeeklySchedule": [
        "SCHEDULE_CREATE",
      ],
      "/api/schedule/deleteSchedule": [
        "SCHEDULE_DELETE",
      ],
      "/api/schedule/updateAbsoluteSchedule": [
        "SCHEDULE_UPDATE",
      ],
    }
  `);
});
