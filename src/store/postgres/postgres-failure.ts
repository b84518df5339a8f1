/**
 * Maps what PostgreSQL or its driver threw to a store error code (postgresql.org/docs/current/errcodes-appendix.html).
 */

import pg from 'pg';
import { type ErrorContext, GatewayError } from '../../core/errors.ts';
import { STORE_ERRORS } from '../errors.ts';

type StoreErrorCode = keyof typeof STORE_ERRORS;

const CODE_BY_STATE: Readonly<Record<string, StoreErrorCode>> = {
  '23001': 'STORE_REFERENCE', // restrict_violation
  '23503': 'STORE_REFERENCE', // foreign_key_violation
  '23505': 'STORE_DUPLICATE', // unique_violation
  '25006': 'STORE_READ_ONLY', // read_only_sql_transaction: a standby
  '25P03': 'STORE_UNREACHABLE', // idle_in_transaction_session_timeout
  '3D000': 'STORE_REFUSED', // invalid_catalog_name: no such database
  '3F000': 'STORE_REFUSED', // invalid_schema_name
  '40001': 'STORE_CONTENDED', // serialization_failure
  '40P01': 'STORE_CONTENDED', // deadlock_detected
  '42501': 'STORE_REFUSED', // insufficient_privilege
  '53100': 'STORE_DISK_FULL',
  '53300': 'STORE_UNREACHABLE', // too_many_connections
  '55P03': 'STORE_LOCKED', // lock_not_available
  '57014': 'STORE_TIMEOUT', // query_canceled
  '57P01': 'STORE_UNREACHABLE', // admin_shutdown
  '57P02': 'STORE_UNREACHABLE', // crash_shutdown
  '57P03': 'STORE_UNREACHABLE', // cannot_connect_now
  '57P05': 'STORE_UNREACHABLE', // idle_session_timeout
};

const CODE_BY_CLASS: Readonly<Record<string, StoreErrorCode>> = {
  '08': 'STORE_UNREACHABLE', // connection exception
  '28': 'STORE_REFUSED', // invalid authorization
  '58': 'STORE_IO', // system error
  XX: 'STORE_CORRUPT',
};

/** Class 22 quotes the value that did not fit. */
const CLASS_OF_QUOTED_VALUES = '22';

/** The error as callers see it; a GatewayError passes unchanged. It never contains values of rows or parameters. */
export function storeErrorOf(thrown: unknown, database: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof pg.DatabaseError && thrown.code !== undefined) return serverError(thrown, database);
  if (thrown instanceof RangeError) {
    return new GatewayError(STORE_ERRORS.STORE_QUERY, { database }, new Error(thrown.message));
  }
  return new GatewayError(STORE_ERRORS.STORE_UNREACHABLE, { database, reason: reasonOf(thrown) });
}

/** Whether the connection has become unusable. */
export function isConnectionLost(thrown: unknown): boolean {
  if (thrown instanceof RangeError || thrown instanceof GatewayError) return false;
  if (!(thrown instanceof pg.DatabaseError)) return true;
  // 0A000: the schema changed after the connection prepared its statements.
  return thrown.severity === 'FATAL' || thrown.severity === 'PANIC' || thrown.code === '0A000';
}

/** Whether the same transaction may succeed if retried: others changed the same rows. */
export function isContention(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && (thrown.code === '40001' || thrown.code === '40P01');
}

function serverError(thrown: pg.DatabaseError, database: string): GatewayError {
  const state = thrown.code ?? '';
  const code = CODE_BY_STATE[state] ?? CODE_BY_CLASS[state.slice(0, 2)] ?? 'STORE_QUERY';
  const text = state.startsWith(CLASS_OF_QUOTED_VALUES) ? 'a value does not fit its column' : thrown.message;
  const context: ErrorContext = { database, sqlState: state };
  if (code === 'STORE_UNREACHABLE' || code === 'STORE_REFUSED') {
    return new GatewayError(STORE_ERRORS[code], { ...context, reason: text });
  }
  return new GatewayError(STORE_ERRORS[code], context, new Error(text));
}

/** A host with several addresses fails with one error for each. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(reasonOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}
