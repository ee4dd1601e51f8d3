// Loans and their days; see docs/requirements/lending.md.

const LOAN_DAYS = 14;
const MOST_RESERVATIONS = 3;

// The last day on which a tool that was lent on `lent` is in time.
export function dueOn(lent) {
  const due = new Date(lent);
  due.setDate(due.getDate() + LOAN_DAYS);
  return due;
}

export function mayReserve(openReservations) {
  return openReservations < MOST_RESERVATIONS;
}
