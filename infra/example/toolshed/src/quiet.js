// When messages may be sent; see docs/requirements/reminders.md.

const QUIET_FROM = 21;
const QUIET_UNTIL = 8;

// TODO: members in other time zones are not asked when their night is.
export function maySend(hour) {
  return QUIET_UNTIL <= hour && hour < QUIET_FROM;
}
