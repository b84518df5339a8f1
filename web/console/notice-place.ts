/** Where a person chooses how they are notified of alerts: a part of the page of their account. */

import { place } from './places.ts';

export const NOTIFICATIONS_HASH = '#notifications-title';
export const NOTIFICATIONS_PLACE = place(`account${NOTIFICATIONS_HASH}`);
