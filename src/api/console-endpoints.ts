/** POST /api/console/…: what the console needs of itself: people, sessions, the state of the gateway. Specific to Sluice. */

import type { Endpoint } from '../http/endpoint.ts';
import { acceptInvite } from './console/accept-invite.ts';
import { addPasskey } from './console/add-passkey.ts';
import { beginAddingPasskey } from './console/begin-adding-passkey.ts';
import { beginConfirmation } from './console/begin-confirmation.ts';
import { beginInvitePasskey } from './console/begin-invite-passkey.ts';
import { beginPasskeySignIn } from './console/begin-passkey-sign-in.ts';
import { changePassword } from './console/change-password.ts';
import { confirmIdentity } from './console/confirm-identity.ts';
import { createPublicUrlCheck } from './console/create-public-url-check.ts';
import { createSupportBundle } from './console/create-support-bundle.ts';
import { deletePasskey } from './console/delete-passkey.ts';
import { deletePerson } from './console/delete-person.ts';
import { endSession } from './console/end-session.ts';
import { getCounters } from './console/get-counters.ts';
import { getEffectiveConfig } from './console/get-effective-config.ts';
import { getLogTail } from './console/get-log-tail.ts';
import { getPasskeys } from './console/get-passkeys.ts';
import { getPeople } from './console/get-people.ts';
import { getPublicUrlVisits } from './console/get-public-url-visits.ts';
import { getServiceHistory } from './console/get-service-history.ts';
import { getServiceLevels } from './console/get-service-levels.ts';
import { getSession } from './console/get-session.ts';
import { getSessions } from './console/get-sessions.ts';
import { getSystemState } from './console/get-system-state.ts';
import { invitePerson } from './console/invite-person.ts';
import { reloadConfig } from './console/reload-config.ts';
import { renamePasskey } from './console/rename-passkey.ts';
import { signIn } from './console/sign-in.ts';
import { signInWithPasskey } from './console/sign-in-with-passkey.ts';
import { signOut } from './console/sign-out.ts';
import { updatePerson } from './console/update-person.ts';
import { updateServiceProbe } from './console/update-service-probe.ts';
import { validateConfig } from './console/validate-config.ts';
import { validatePublicUrl } from './console/validate-public-url.ts';

export const CONSOLE_ENDPOINTS: readonly Endpoint[] = [
  getPasskeys,
  beginPasskeySignIn,
  signInWithPasskey,
  beginConfirmation,
  confirmIdentity,
  beginAddingPasskey,
  addPasskey,
  renamePasskey,
  deletePasskey,
  getSession,
  getSessions,
  signIn,
  signOut,
  endSession,
  changePassword,
  getPeople,
  invitePerson,
  beginInvitePasskey,
  acceptInvite,
  updatePerson,
  deletePerson,
  getSystemState,
  getCounters,
  getLogTail,
  createSupportBundle,
  getEffectiveConfig,
  validateConfig,
  reloadConfig,
  getServiceLevels,
  getServiceHistory,
  updateServiceProbe,
  getPublicUrlVisits,
  createPublicUrlCheck,
  validatePublicUrl,
];
