// Writes each day in the customer's time zone; the server, which does not know it, has written the day in UTC.
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
for (const time of document.querySelectorAll('time'))
  time.textContent = DAY.format(new Date(time.dateTime)).replaceAll(' ', '\u00a0');
