/** Rows of the registry that the suite of greedy neighbors does not attack, and the test of each that does. */

import type { LimitName } from '../../../src/core/limits/registry.ts';

/** The statement that stores an organization's rows also counts them within that organization. */
export const ROWS_TEST = 'src/store/change-contract.ts';

export const ATTACKED_ELSEWHERE: Readonly<Partial<Record<LimitName, string>>> = {
  // Needs recordings that fill a disk.
  heldRecordings: 'src/cases/holds.test.ts',
  // Needs S3.
  recordingUploads: 'src/recording/upload-queue.test.ts',
  // Needs recordings in H.265.
  recodedSegments: 'src/playback/recoded-past.test.ts',
  recodedFiles: 'src/playback/recoded-files.test.ts',
  recodedWrites: 'src/playback/recoded-files.test.ts',
  // Needs cameras with sound.
  soundSockets: 'src/front-door/sockets/live-sockets.test.ts',
  // Need video recorders.
  recorderPulls: 'src/recorders/recorder-past.test.ts',
  pulledFiles: 'src/recorders/recorder-past.test.ts',
  recorderLists: 'src/recorders/recorder-lists.test.ts',
  // Needs recordings.
  encodedFiles: 'src/front-door/past/encoded-files.test.ts',
  thumbnails: 'src/playback/thumbnail-maker.test.ts',
  // Needs an emergency.
  emergencyViews: 'src/emergency/emergency-views.test.ts',
  // Needs an OpenID provider.
  failedProviderVisits: 'src/console/oidc-routes.test.ts',
  providerExchanges: 'src/oidc/oidc-client.test.ts',
  providerLogouts: 'src/oidc/provider-logout.test.ts',
  oidcProviderVisits: 'src/oidc/greedy-providers.test.ts',
  oidcClients: 'src/oidc/greedy-providers.test.ts',
  // Needs a SAML provider.
  samlResponses: 'src/saml/greedy-providers.test.ts',
  samlMetadataReads: 'src/saml/greedy-providers.test.ts',
  // Needs a provisioning token.
  scimRequests: 'src/api/scim/scim-limits.test.ts',
  // Needs a cluster.
  linkArrivals: 'src/cluster/links/hostile-peers.real.test.ts',
  // Needs a content delivery network.
  sharedWaiting: 'src/front-door/live/shared-media-routes.test.ts',
  // Needs thousands of requests that wait.
  linkWaits: 'src/front-door/page/link-waits.test.ts',
  // Needs a publish key.
  rtmpArrivals: 'src/sources/rtmp/rtmp-listener.real.test.ts',
  // Need cameras that many programs read.
  rtspArrivals: 'src/front-door/rtsp/rtsp-listener.real.test.ts',
  rtspViewers: 'src/front-door/rtsp/rtsp-desk.test.ts',
  rtspQueues: 'src/front-door/rtsp/rtsp-desk.test.ts',
  // Needs a push service.
  pushCalls: 'src/notifications/push.test.ts',
  waitingPushes: 'src/notifications/push.test.ts',
  recentPushes: 'src/notifications/push.test.ts',
  // Needs a mail server.
  mailCalls: 'src/mail/mail-neighbors.real.test.ts',
  openMails: 'src/mail/mail-outbox.test.ts',
  loggedMails: 'src/mail/mail-outbox.test.ts',
  linkMails: 'src/mail/mail-outbox.test.ts',
  refusedMails: 'src/mail/mail-outbox.test.ts',
  refusedMailAddresses: 'src/mail/mail-outbox.test.ts',
  // Needs an administrator of the other organization.
  nameLookups: 'src/names/name-resolver.test.ts',
  cameraProbes: 'src/devices/camera-prober.test.ts',
  cameraChecks: 'src/devices/camera-checks.test.ts',
  cameraExaminations: 'src/devices/camera-examiner.test.ts',
  cameraLogins: 'src/sources/login-guard.test.ts',
  clipJobs: 'src/clips/greedy-clips.test.ts',
  alertClipJobs: 'src/clips/greedy-clips.test.ts',
  alertImages: 'src/clips/greedy-clips.test.ts',
  activeClipJobs: 'src/clips/greedy-clips.test.ts',
  clipDeletions: 'src/clips/greedy-clips.test.ts',
  clipConversions: 'src/uploads/greedy-uploads.test.ts',
  workers: 'src/ffmpeg/greedy-workers.test.ts',
  workerStarts: 'src/ffmpeg/greedy-workers.test.ts',
  yieldingStarts: 'src/ffmpeg/greedy-workers.test.ts',
  servedSounds: 'src/sources/sound/greedy-sound.test.ts',
  ptzCameras: 'src/devices/ptz-service.test.ts',
  // Needs a disk that hangs.
  recordingParts: 'src/recording/recorder-room.test.ts',
  recordingPartBytes: 'src/recording/recorder-room.test.ts',
  // More than a suite of minutes can fill.
  extendedGrants: 'src/sharing/device-previews.test.ts',
  logRecords: 'src/system/log-memory.test.ts',
  counterRings: 'src/system/counter-history.test.ts',
  reportedShares: 'src/service-levels/levels.test.ts',
  unstoredEnds: 'src/sharing/unstored-ends.test.ts',
};
