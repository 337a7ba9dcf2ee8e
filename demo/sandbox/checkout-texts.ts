// The texts of the hosted checkout in English and German. Any other language gets the English texts, and the page
// declares it in its `lang` attribute. `{name}` is a placeholder.

const en = {
  banner: 'Sandbox: no real money moves',
  payTo: 'Pay {merchant}',
  order: 'Order',
  website: 'Website',
  steps: 'Steps',
  stepLogin: 'Log in',
  stepVerify: 'Code',
  stepPay: 'Pay',
  loginTitle: 'Log in to your wallet',
  walletField: 'Wallet ID or e-mail',
  passwordField: 'Password',
  next: 'Continue',
  loginHint: 'Sandbox: the password is “{password}”. Or log in at once as',
  noWallet: 'Enter your wallet ID or e-mail.',
  noPassword: 'Enter your password.',
  wrongLogin: 'Wrong wallet ID or password.',
  verifyTitle: 'Confirm that it is you',
  verifyHelp: 'Enter the six-digit code that your wallet app shows.',
  codeField: 'Six-digit code',
  codeHint: 'Sandbox: the code is on',
  codeHintLink: 'the phone of {name}',
  noCode: 'Enter the six digits.',
  wrongCode: 'This code is wrong. You can try {left} more times.',
  wrongCodeOneLeft: 'This code is wrong. You can try once more.',
  tooManyCodes: 'Too many wrong codes. Please log in again.',
  payTitle: 'Review and pay',
  from: 'From',
  balance: 'Balance',
  balanceAfter: 'Balance after',
  missing: 'Missing',
  shortBalance: 'Your balance is too low for this payment.',
  pay: 'Pay {amount}',
  payAnyway: 'Pay anyway',
  payAnywayHint: 'Sandbox: see how a payment is declined.',
  cancel: 'Cancel payment',
  endsIn: 'This page ends in',
  back: 'Back to {merchant}',
  paidTitle: 'Payment complete',
  paidText: 'The money is with {merchant}.',
  expiredTitle: 'This payment has expired',
  expiredText: 'The time to pay is over. No money was taken. You can start again in the shop.',
  canceledTitle: 'Payment canceled',
  canceledText: 'No money was taken.',
  declinedTitle: 'Payment declined',
  shortText: 'Your balance is too low. No money was taken. You can try another way to pay in the shop.',
  declinedText: 'No money was taken. You can try another way to pay in the shop.',
};

export type CheckoutTexts = typeof en;

const de: CheckoutTexts = {
  banner: 'Testumgebung: Hier fließt kein echtes Geld',
  payTo: 'Zahlung an {merchant}',
  order: 'Bestellung',
  website: 'Website',
  steps: 'Schritte',
  stepLogin: 'Anmelden',
  stepVerify: 'Code',
  stepPay: 'Bezahlen',
  loginTitle: 'Bei Ihrer Wallet anmelden',
  walletField: 'Wallet-ID oder E-Mail',
  passwordField: 'Passwort',
  next: 'Weiter',
  loginHint: 'Testumgebung: Das Passwort ist „{password}“. Oder sofort anmelden als',
  noWallet: 'Geben Sie Ihre Wallet-ID oder E-Mail ein.',
  noPassword: 'Geben Sie Ihr Passwort ein.',
  wrongLogin: 'Wallet-ID oder Passwort stimmt nicht.',
  verifyTitle: 'Bestätigen Sie Ihre Identität',
  verifyHelp: 'Geben Sie den sechsstelligen Code aus Ihrer Wallet-App ein.',
  codeField: 'Sechsstelliger Code',
  codeHint: 'Testumgebung: Der Code steht auf',
  codeHintLink: 'dem Telefon von {name}',
  noCode: 'Geben Sie die sechs Ziffern ein.',
  wrongCode: 'Dieser Code stimmt nicht. Sie können es noch {left}-mal versuchen.',
  wrongCodeOneLeft: 'Dieser Code stimmt nicht. Sie können es noch einmal versuchen.',
  tooManyCodes: 'Zu viele falsche Codes. Bitte melden Sie sich erneut an.',
  payTitle: 'Prüfen und bezahlen',
  from: 'Von',
  balance: 'Guthaben',
  balanceAfter: 'Guthaben danach',
  missing: 'Es fehlen',
  shortBalance: 'Ihr Guthaben reicht für diese Zahlung nicht aus.',
  pay: '{amount} bezahlen',
  payAnyway: 'Trotzdem bezahlen',
  payAnywayHint: 'Testumgebung: So sehen Sie, wie eine Zahlung abgelehnt wird.',
  cancel: 'Zahlung abbrechen',
  endsIn: 'Diese Seite endet in',
  back: 'Zurück zu {merchant}',
  paidTitle: 'Zahlung abgeschlossen',
  paidText: 'Das Geld ist bei {merchant}.',
  expiredTitle: 'Diese Zahlung ist abgelaufen',
  expiredText: 'Die Zeit zum Bezahlen ist um. Es wurde nichts abgebucht. Im Shop können Sie neu beginnen.',
  canceledTitle: 'Zahlung abgebrochen',
  canceledText: 'Es wurde nichts abgebucht.',
  declinedTitle: 'Zahlung abgelehnt',
  shortText: 'Ihr Guthaben reicht nicht aus. Es wurde nichts abgebucht. Im Shop können Sie anders bezahlen.',
  declinedText: 'Es wurde nichts abgebucht. Im Shop können Sie eine andere Zahlungsart wählen.',
};

const LANGUAGES: Readonly<Record<string, CheckoutTexts>> = { en, de };

/** The texts and their language, which is English if the wanted one has no texts. */
export function checkoutTexts(language: string | null): { texts: CheckoutTexts; textLang: string } {
  const found = language !== null && Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  return found && language !== null ? { texts: found, textLang: language } : { texts: en, textLang: 'en' };
}

export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
