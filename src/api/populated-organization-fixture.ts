/** One of everything that an organization can have, created through the API, for tests that try every endpoint. */

import { newPushBrowser } from '../accounts/push-browser-fixture.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import { OBEDIENT_CAMERA } from '../devices/fake-onvif-cameras.ts';
import { cameraMacAddress } from '../devices/rtsp-endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { samplePasskey } from '../store/sample-entities-fixture.ts';
import {
  type ApiFixture,
  addApiKey,
  type FixtureOptions,
  type FixtureOrg,
  MEDIA_ADDRESSES,
  openApiFixture,
} from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';
import { INGEST_KINDS } from './ingest-kinds.ts';
import { OAuthTester } from './oauth-fixture.ts';
import { exampleBody } from './schema-samples-fixture.ts';

const LISTS: Readonly<Record<string, string>> = {
  assignedCameraList: 'cameraUuid',
  deviceFilter: 'deviceUuid',
  devices: 'deviceUuid',
  deviceList: 'deviceUuid',
  accessControlledDoorFilter: 'accessControlledDoorUuid',
  locations: 'locationUuid',
  doorStateToScheduleUuidMap: 'scheduleUuid',
  sharedLiveVideoStreamUuid: 'shareUuid',
  sharedLiveVideoStreamUuids: 'shareUuid',
};

/** Identifiers for fields whose name does not reveal what they take. Things in use are not deleted. */
const PARTICULAR: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/api/console/addOidcProvider': { domains: 'oidcDomains' },
  '/api/console/deleteOidcProvider': { providerUuid: 'oidcProviderUuid' },
  '/api/console/revokeScimToken': { tokenUuid: 'scimTokenUuid' },
  '/api/console/signIn': { email: 'personEmail' },
  '/api/console/checkSignInDomain': { domain: 'domains' },
  '/api/console/updateOidcProvider': { providerUuid: 'oidcProviderUuid', domains: 'oidcDomains' },
  '/api/console/sendTestMail': { to: 'personEmail' },
  '/api/console/sendLinkMail': { url: 'linkUrl' },
  '/api/emergency/deleteEmergencyPartner': { emergencyPartnerUuid: 'unusedEmergencyPartnerUuid' },
  '/api/location/deleteLocation': { uuid: 'unusedLocationUuid' },
  '/api/policy/deleteSchedule': { scheduleUuid: 'unusedPolicyScheduleUuid' },
  '/api/schedule/deleteSchedule': { scheduleUuid: 'unusedScheduleUuid' },
  '/api/camera/deleteVideoWall': { uuid: 'unusedVideoWallUuid' },
  '/api/doorbellcamera/deleteSharedLiveVideoStream': { uuid: 'doorbellShareUuid' },
  '/api/camera/updateDetailsV2': { uuid: 'thirdPartyCameraUuid' },
  '/api/doorbellcamera/getMediaUris': { deviceUuid: 'doorbellCameraUuid' },
  '/api/video/deleteTimelapseClips': { clipUuids: 'timelapseUuid' },
  '/api/event/createSharedClipGroupV3': { eventUuid: 'clipUuid' },
  '/api/event/updateSharedClipGroupV2': { sharedClipUuid: 'sharedClipGroupUuid' },
  '/api/report/getCountReportV2': { uuid: 'cameraUuid' },
  '/api/report/getRunningAverage': { uuid: 'cameraUuid' },
  '/api/relay/getUptimeWindows': { deviceUuid: 'nvruuid' },
  '/api/relay/addThirdPartyCameraViaRtmp': { nvrUuid: 'nvruuid' },
  '/api/relay/createThirdPartyCameraPublishKey': { cameraUuid: 'pushedCameraUuid' },
  '/api/relay/deleteThirdPartyCameraPublishKey': { cameraUuid: 'pushedCameraUuid' },
};

/** Only people can call these. */
const OF_PERSON =
  /^\/api\/console\/(?:changePassword|confirmIdentity|beginConfirmation|\w*Passkeys?|\w*PushSubscriptions?)$/;

export interface PopulatedOrganization {
  readonly org: FixtureOrg;
  readonly headers: Record<string, string>;
  readonly partnerHeaders: Record<string, string>;
  /** Headers of an admin who is signed in to the console. */
  readonly consoleHeaders: Record<string, string>;
  /** Identifiers of its records, by the name of the field that takes them. */
  readonly identifiers: Readonly<Record<string, string>>;
}

/** The headers with a key that the endpoint accepts. */
export function headersFor(
  { scheme, path }: Endpoint,
  organization: PopulatedOrganization,
): Record<string, string> {
  if (OF_PERSON.test(path)) return organization.consoleHeaders;
  return scheme === 'partner-api' ? organization.partnerHeaders : organization.headers;
}

/** Which of the organization's things a field of an endpoint takes; undefined: none, the gateway passes the value on. */
export function identifierFor(
  organization: PopulatedOrganization,
  path: string,
  field: string,
): string | undefined {
  const { identifiers } = organization;
  const particular = PARTICULAR[path]?.[field];
  if (particular !== undefined) return identifiers[particular];
  return field === 'uuid'
    ? identifiers[subjectOf(path)]
    : (identifiers[field] ?? identifiers[singular(field)]);
}

/** The thing to which a field called `uuid` refers. */
function subjectOf(path: string): string {
  const operation = path.slice(path.lastIndexOf('/') + 1);
  if (path.startsWith('/api/ingest/')) return `${operation}.uuid`;
  if (/SharedClipGroup/.test(operation)) return 'sharedClipGroupUuid';
  if (/SharedTimelapseGroup/.test(operation)) return 'sharedTimelapseGroupUuid';
  if (/SharedVideoWall/.test(operation)) return 'wallShareUuid';
  if (/VideoWall/.test(operation)) return 'videoWallUuid';
  if (/RealtimeRelative/.test(operation)) return 'realtimeRelativeScheduleUuid';
  if (/RelativeDateTime/.test(operation)) return 'relativeDateTimeScheduleUuid';
  if (/AbsoluteSchedule/.test(operation)) return 'absoluteScheduleUuid';
  if (/chedule/.test(operation)) return 'scheduleUuid';
  if (/ClimatePolicy/.test(operation)) return 'climatePolicyUuid';
  if (/PolicyAlert/.test(operation)) return 'policyAlertUuid';
  if (/Webhook/.test(operation)) return 'webhookUuid';
  if (path === '/api/proximity/updateDetails') return 'proximityTagUuid';
  if (path.startsWith('/api/relay/')) return 'nvruuid';
  return path.startsWith('/api/location/') ? 'locationUuid' : 'shareUuid';
}

/** The field for one entry of a list field: entries of `scheduleUuids` are values of `scheduleUuid`. */
function singular(field: string): string {
  return LISTS[field] ?? field.replace(/(uuid)s$/i, '$1');
}

const CREATE_RULE_PATH = '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation';

/** Calls that create a thing, and the names of the fields that take its UUID; '' if the response has no UUID. */
const CREATIONS: readonly (readonly [path: string, responseField: string, knownAs: string])[] = [
  ['/api/schedule/createWeeklySchedule', 'scheduleUuid', 'scheduleUuid'],
  ['/api/schedule/createAbsoluteSchedule', 'scheduleUuid', 'absoluteScheduleUuid'],
  ['/api/schedule/createRealtimeRelativeSchedule', 'scheduleUuid', 'realtimeRelativeScheduleUuid'],
  ['/api/schedule/createRelativeDateTimeSchedule', 'scheduleUuid', 'relativeDateTimeScheduleUuid'],
  ['/api/schedule/createWeeklySchedule', 'scheduleUuid', 'unusedScheduleUuid'],
  ['/api/policy/createSchedule', 'scheduleUuid', 'unusedPolicyScheduleUuid'],
  ['/api/location/createLocation', 'uuid', 'unusedLocationUuid'],
  ['/api/camera/createSharedLiveVideoStream', 'sharedLiveVideoStreamUuid', 'shareUuid'],
  ['/api/doorbellcamera/createSharedLiveVideoStream', 'sharedLiveVideoStreamUuid', 'doorbellShareUuid'],
  ['/api/camera/createVideoWall', 'uuid', 'unusedVideoWallUuid'],
  ['/api/camera/createVideoWall', 'uuid', 'videoWallUuid'],
  ['/api/camera/createSharedVideoWall', 'sharedLiveVideoStreamUuid', 'wallShareUuid'],
  ['/api/relay/createThirdPartyCameraPassword', 'passwordUuid', 'passwordUuid'],
  ['/api/relay/manualDiscoverCamera', '', ''],
  ['/api/relay/assignThirdPartyCameraToNVR', 'deviceUuid', 'thirdPartyCameraUuid'],
  ['/api/relay/addThirdPartyCameraViaRtmp', 'deviceUuid', 'pushedCameraUuid'],
  ['/api/org/createPendingRegistration', '', ''],
  ...INGEST_KINDS.map(({ name }) => [`/api/ingest/${name}`, '', ''] as const),
  ['/api/component/elevator/addAccessControlledElevatorLandingLabel', '', ''],
  ['/api/policy/updateClimatePolicy', '', ''],
  [CREATE_RULE_PATH, 'ruleUuid', 'ruleUuid'],
  ['/api/integrations/webhooks/updateWebhookIntegrationV2', '', ''],
  ['/api/integrations/accessControl/updateBadgeVendorAIntegrationV2', '', ''],
  ['/api/integrations/accessControl/updateAlarmVendorIntegration', '', ''],
  ['/api/customer/updateCurrentUserNotificationSettings', '', ''],
  ['/api/console/setAlarmReceiver', 'alarmReceiverUuid', 'alarmReceiverUuid'],
  ['/api/oauth/submitApplication', 'clientId', 'clientId'],
];

/** The API with two organizations that have one of everything. */
export interface PopulatedApi {
  readonly fixture: ApiFixture;
  readonly own: PopulatedOrganization;
  readonly foreign: PopulatedOrganization;
  close(): Promise<void>;
}

/** No request runs into a rate limit. */
export async function openPopulatedApi(log?: Log, options: FixtureOptions = {}): Promise<PopulatedApi> {
  const plenty = { burst: 1e9, perSec: 1e6 };
  const limits = {
    requestsPerOrg: plenty,
    failedAuthenticationsPerAddress: plenty,
    signInsPerPerson: plenty,
    signInsOfStrangers: plenty,
  };
  const fixture = await openApiFixture({
    limits,
    ptzLimit: { burst: 1e6, perSec: 1e6 },
    ...(log === undefined ? {} : { log }),
    ...options,
  });
  fixture.onvifCameras.byHost.set('camera.example', OBEDIENT_CAMERA);
  const { own, foreign, webhookHost } = fixture;
  return {
    fixture,
    own: await populate(fixture, own, foreign, webhookHost.url('/own')),
    foreign: await populate(fixture, foreign, own, webhookHost.url('/foreign')),
    close: () => fixture.close(),
  };
}

/** Adds to the fixture's organization. `other` owns the application that gets access. */
async function populate(
  fixture: ApiFixture,
  org: FixtureOrg,
  other: FixtureOrg,
  webhookUrl: string,
): Promise<PopulatedOrganization> {
  const partnerKey = await addApiKey(fixture.store, org.organization.uuid, { scheme: 'partner-api' });
  const linkUrl = `${MEDIA_ADDRESSES.mediaUrl}/live/a-share-token`;
  const identifiers: Record<string, string> = { ...firstIdentifiers(org), webhookUrl, linkUrl };
  const populated: PopulatedOrganization = {
    org,
    headers: { 'x-auth-apikey': org.apiKey },
    partnerHeaders: { 'x-auth-apikey': partnerKey },
    consoleHeaders: {},
    identifiers,
  };
  fixture.rtspCameras.byUrl.set(identifiers.rtspUrl!, {});
  await create(fixture, populated, CREATIONS);
  identifiers.causeUuid = await pressPanicButton(fixture, populated);
  await letApplicationIn({ ...fixture, own: org, foreign: other }, identifiers);
  const { hardwareList } = await fixture.call(
    '/api/org/findAllHardwareWithPendingRegistration',
    {},
    populated.headers,
  );
  identifiers.hardwareUuid = (hardwareList as { uuid: string }[])[0]!.uuid;
  const { savedClips } = await fixture.call('/api/event/getSavedClipsV2', {}, populated.headers);
  identifiers.savedClipUuid = (savedClips as { uuid: string }[])[0]!.uuid;
  identifiers.clipUuid = await failedClip(fixture, populated);
  Object.assign(identifiers, await evidenceOf(fixture, populated));
  Object.assign(identifiers, await emergencyOf(fixture, populated));
  identifiers.timelapseUuid = await failedTimelapse(fixture, populated);
  identifiers.sharedClipGroupUuid = await sharedClips(fixture, populated);
  identifiers.sharedTimelapseGroupUuid = await sharedTimelapses(fixture, populated);
  identifiers.viewerId = await watchShare(fixture, populated);
  identifiers.checkId = await publicUrlCheck(fixture, populated);
  const consoleHeaders = await addPeople(fixture, populated.headers, identifiers);
  const { pushSubscriptionUuid } = await fixture.call(
    '/api/console/addPushSubscription',
    newPushBrowser().given,
    consoleHeaders,
  );
  identifiers.pushSubscriptionUuid = pushSubscriptionUuid as string;
  const domain = `${Buffer.from(populated.org.organization.uuid).toString('hex')}.example`;
  Object.assign(identifiers, { domains: domain, oidcDomains: `oidc.${domain}` });
  for (const kind of ['saml', 'oidc'] as const) {
    const operation = `add${kind === 'saml' ? 'Saml' : 'Oidc'}Provider`;
    const added = await callExample(`/api/console/${operation}`, fixture, populated);
    const { providerUuid } = added[`${kind}Provider`] as { providerUuid: string };
    identifiers[kind === 'saml' ? 'providerUuid' : 'oidcProviderUuid'] = providerUuid;
  }
  const entra = { name: 'Entra' };
  const { tokenUuid } = await fixture.call('/api/console/createScimToken', entra, populated.headers);
  identifiers.scimTokenUuid = tokenUuid as string;
  const mapping = { group: 'Guards', role: 'viewer' };
  const set = await fixture.call('/api/console/setScimMapping', mapping, populated.headers);
  identifiers.mappingUuid = (set.mapping as { mappingUuid: string }).mappingUuid;
  return { ...populated, consoleHeaders };
}

function callExample(path: string, fixture: ApiFixture, populated: PopulatedOrganization) {
  const endpoint = ENDPOINTS.find((each) => each.path === path)!;
  const body = exampleBody(endpoint, (field) => identifierFor(populated, path, field));
  return fixture.call(path, body, populated.headers);
}

/** Adds the created record to the identifiers. */
async function create(
  fixture: ApiFixture,
  populated: PopulatedOrganization,
  creations: typeof CREATIONS,
): Promise<void> {
  const identifiers: Record<string, string> = populated.identifiers;
  for (const [path, responseField, knownAs] of creations) {
    const response = await callExample(path, fixture, populated);
    const { rejected = [] } = response as { rejected?: readonly unknown[] };
    if (response.error || rejected.length > 0) throw new Error(`${path}: ${JSON.stringify(response)}`);
    if (knownAs === '') continue;
    const identifier = response[responseField];
    if (typeof identifier !== 'string') throw new Error(`the response of ${path} has no ${responseField}`);
    identifiers[knownAs] = identifier;
  }
}

/** Creations that an organization has once, or that belong to no site. */
const OF_ORGANIZATION =
  /^\/api\/(?:console|integrations|customer|oauth|policy\/updateClimatePolicy|org|relay\/createThirdPartyCameraPassword)/;

/** One of everything at another site of an organization. `site`: the organization's key, with the site's own devices. */
export async function populateSite(fixture: ApiFixture, site: FixtureOrg): Promise<PopulatedOrganization> {
  const identifiers: Record<string, string> = {
    ...firstIdentifiers(site),
    webhookUrl: fixture.webhookHost.url('/second'),
  };
  const headers = { 'x-auth-apikey': site.apiKey };
  const populated = { org: site, headers, partnerHeaders: {}, consoleHeaders: {}, identifiers };
  fixture.rtspCameras.byUrl.set(identifiers.rtspUrl!, {});
  await create(
    fixture,
    populated,
    CREATIONS.filter(([path]) => !OF_ORGANIZATION.test(path)),
  );
  identifiers.clipUuid = await failedClip(fixture, populated);
  Object.assign(identifiers, await evidenceOf(fixture, populated));
  Object.assign(identifiers, await emergencyOf(fixture, populated));
  identifiers.timelapseUuid = await failedTimelapse(fixture, populated);
  identifiers.sharedClipGroupUuid = await sharedClips(fixture, populated);
  identifiers.sharedTimelapseGroupUuid = await sharedTimelapses(fixture, populated);
  identifiers.viewerId = await watchShare(fixture, populated);
  return populated;
}

/** Only the organization that operates the gateway has one. */
async function publicUrlCheck(
  fixture: ApiFixture,
  { headers }: Pick<PopulatedOrganization, 'headers'>,
): Promise<string> {
  const { checkId } = await fixture.call('/api/console/createPublicUrlCheck', {}, headers);
  return typeof checkId === 'string' ? checkId : 'unknown';
}

/** Records of the fixture, and things whose names callers choose. */
function firstIdentifiers(org: FixtureOrg): Record<string, string> {
  const reported = Object.fromEntries(INGEST_KINDS.map(({ name }) => [`${name}.uuid`, newRuuid()]));
  const rtspUrl = `rtsp://camera${newRuuid()
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase()}.example/stream1`;
  const macAddress = cameraMacAddress(new CredentialUrl(rtspUrl));
  return {
    ...reported,
    rtspUrl,
    discoveredCameraMacAddress: macAddress,
    thirdPartyCameraMacAddress: macAddress,
    orgUuid: org.organization.uuid,
    tokenUuid: org.key.uuid,
    locationUuid: org.locationUuid,
    parentLocationUuid: org.locationUuid,
    nvruuid: org.nvrUuid,
    ownerDeviceUuid: org.nvrUuid,
    cameraUuid: org.camera.uuid,
    doorbellCameraUuid: org.doorbell.uuid,
    deviceUuid: org.camera.uuid,
    audioGatewayUuid: org.camera.uuid,
    gatewayUuid: org.camera.uuid,
    accessControlledDoorUuid: reported['doors.uuid']!,
    accessControlledElevatorLandingUuid: reported['elevatorLandings.uuid']!,
    credentialUuid: reported['credentials.uuid']!,
    proximityTagUuid: reported['proximityTags.uuid']!,
    policyAlertUuid: reported['policyAlerts.uuid']!,
    alertUuid: reported['policyAlerts.uuid']!,
    climatePolicyUuid: newRuuid(),
    serialNumber: `NVR-${newRuuid()}`,
  };
}

/** Orders a clip of a time without recordings, and waits until it has failed. */
async function failedClip(fixture: ApiFixture, { org, headers }: PopulatedOrganization): Promise<string> {
  const order = { deviceUuids: [org.camera.uuid], startTimeMillis: 1_000, durationSec: 1 };
  const { clipUuid } = await fixture.call('/api/video/spliceV3', order, headers);
  await fixture.clips.settled();
  return clipUuid as string;
}

/** The same for a timelapse. */
async function failedTimelapse(
  fixture: ApiFixture,
  { org, headers }: PopulatedOrganization,
): Promise<string> {
  const order = { deviceUuids: [org.camera.uuid], startTime: 1_000, stopTime: 3_000, videoDuration: 1 };
  const { clipUuid } = await fixture.call('/api/video/generateTimelapseClip', order, headers);
  await fixture.clips.settled();
  return clipUuid as string;
}

/** Shares that clip. */
async function sharedClips(
  fixture: ApiFixture,
  { headers, identifiers }: PopulatedOrganization,
): Promise<string> {
  const group = { uuids: [{ eventUuid: identifiers.clipUuid }] };
  const { uuid } = await fixture.call('/api/event/createSharedClipGroupV3', group, headers);
  return uuid as string;
}

/** Has a viewer of the share, and an address that cannot open it. Returns the viewer's ID. */
async function watchShare(
  fixture: ApiFixture,
  { headers, identifiers }: PopulatedOrganization,
): Promise<string> {
  const sharedLiveVideoStreamUuid = identifiers.shareUuid as Ruuid;
  const { viewerId } = fixture.watch(sharedLiveVideoStreamUuid, { ip: '192.0.2.10' });
  const end = { sharedLiveVideoStreamUuid, viewerId, blockMinutes: 60 };
  await fixture.call('/api/camera/endSharedStreamViewer', end, headers);
  return fixture.watch(sharedLiveVideoStreamUuid, { ip: '192.0.2.20' }).viewerId;
}

/** Shares that timelapse. */
async function sharedTimelapses(
  fixture: ApiFixture,
  { headers, identifiers }: PopulatedOrganization,
): Promise<string> {
  const group = { timelapseUuids: [identifiers.timelapseUuid] };
  const { uuid } = await fixture.call('/api/video/createSharedTimelapseGroup', group, headers);
  return uuid as string;
}

/** Adds an admin, another person, and an invitation that is not accepted. Returns the admin's headers. */
async function addPeople(
  fixture: ApiFixture,
  headers: Record<string, string>,
  identifiers: Record<string, string>,
): Promise<Record<string, string>> {
  const emailOf = (name: string) => `${name}.${newRuuid()}@example.com`;
  const invite = async (role: string, email: string) => {
    const wanted = { name: role, role, email };
    const { inviteUrl } = await fixture.call('/api/console/invitePerson', wanted, headers);
    return (inviteUrl as string).split('#invite=')[1]!;
  };
  const join = async (inviteToken: string) => {
    const body = { inviteToken, password: 'correct horse battery' };
    const response = await fixture.post('/api/console/acceptInvite', body);
    const [cookie = ''] = String(response.headers['set-cookie']).split(';');
    return { cookie, person: response.json<{ person: { personUuid: string } }>().person };
  };
  const admin = await join(await invite('admin', emailOf('admin')));
  const people = await fixture.store.people.listEverywhere();
  const passkey = samplePasskey(people.find(({ uuid }) => uuid === admin.person.personUuid)!);
  await fixture.store.passkeys.save(passkey);
  identifiers.passkeyUuid = passkey.uuid;
  identifiers.personEmail = emailOf('person');
  const { person } = await join(await invite('operator', identifiers.personEmail));
  identifiers.personUuid = person.personUuid;
  const ofPerson = { personUuid: person.personUuid };
  const { sessions } = await fixture.call('/api/console/getSessions', ofPerson, headers);
  identifiers.sessionUuid = (sessions as { sessionUuid: string }[])[0]!.sessionUuid;
  identifiers.inviteToken = await invite('viewer', emailOf('viewer'));
  return { 'x-auth-scheme': 'console', 'x-auth-apikey': '', cookie: admin.cookie };
}

/** Makes a lockdown rule call its webhook. Returns the rule. */
async function pressPanicButton(
  { call, accessControl, clock }: ApiFixture,
  { headers, identifiers }: PopulatedOrganization,
): Promise<string> {
  const { accessControlledDoorUuid, locationUuid, webhookUrl } = identifiers;
  const rule = {
    locationUuid,
    ruleName: 'Panic',
    triggerActivity: 'PanicButtonEvent',
    action: { webhookActions: [{ webhookUrl }] },
  };
  const { ruleUuid } = await call(CREATE_RULE_PATH, { rule }, headers);
  const row = {
    uuid: newRuuid(),
    accessControlledDoorUuid,
    type: 'PanicButtonEvent',
    timestampMs: clock.epochMs(),
  };
  await call('/api/ingest/componentEvents', { rows: [row] }, headers);
  await accessControl.eventEffects.settled();
  await accessControl.deliveries.idle();
  return ruleUuid as string;
}

/** Consents to an application of the other organization. */
async function letApplicationIn(fixture: ApiFixture, identifiers: Record<string, string>): Promise<void> {
  const oauth = new OAuthTester(fixture);
  await oauth.tokens(await oauth.register());
  const [grant] = await fixture.store.oauthGrants.list(fixture.own.organization.uuid);
  identifiers.grantUuid = grant!.uuid;
}

/** A legal hold and a case. */
async function evidenceOf(
  { call }: Pick<ApiFixture, 'call'>,
  { org, headers }: Pick<PopulatedOrganization, 'org' | 'headers'>,
): Promise<Record<string, string>> {
  const held = { cameraUuid: org.camera.uuid, fromMs: 1_000, toMs: 2_000, reason: 'Theft' };
  const { hold } = await call('/api/evidence/createHold', held, headers);
  const { case: opened } = await call('/api/evidence/createCase', { title: 'Theft' }, headers);
  return { holdUuid: (hold as { uuid: string }).uuid, caseUuid: (opened as { uuid: string }).uuid };
}

/** An open emergency, one that has ended, a partner, and a rule. */
async function emergencyOf(
  { call }: Pick<ApiFixture, 'call'>,
  { org, headers }: Pick<PopulatedOrganization, 'org' | 'headers'>,
): Promise<Record<string, string>> {
  const given = { name: 'Dispatch', partnerType: 'RAPIDSOS' };
  const { partner } = await call('/api/emergency/setEmergencyPartner', given, headers);
  const { emergencyPartnerUuid } = partner as { emergencyPartnerUuid: string };
  const { partner: unused } = await call('/api/emergency/setEmergencyPartner', given, headers);
  const rule = { name: 'Panic', emergencyPartnerUuid, minutes: 5, disabled: true };
  const { emergencyRule } = await call('/api/emergency/setEmergencyRule', rule, headers);
  const opening = { emergencyPartnerUuid, cameraUuids: [org.camera.uuid], reason: 'Fire', minutes: 60 };
  const { emergency: past } = await call('/api/emergency/openEmergency', opening, headers);
  const { emergencyUuid } = past as { emergencyUuid: string };
  await call('/api/emergency/endEmergency', { emergencyUuid }, headers);
  const { emergency } = await call('/api/emergency/openEmergency', opening, headers);
  return {
    emergencyPartnerUuid,
    unusedEmergencyPartnerUuid: (unused as { emergencyPartnerUuid: string }).emergencyPartnerUuid,
    emergencyUuid: (emergency as { emergencyUuid: string }).emergencyUuid,
    emergencyRuleUuid: (emergencyRule as { emergencyRuleUuid: string }).emergencyRuleUuid,
  };
}
