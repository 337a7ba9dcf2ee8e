// German.
import type { Messages } from './en.ts';

export default {
  choose: 'Wie möchten Sie bezahlen?',
  DIRECT: 'Wallet',
  DIRECT_help: 'In der Wallet-App bestätigen',
  CHECKOUT: 'Online-Bezahlseite',
  CHECKOUT_help: 'Auf der Website der Wallet anmelden',
  JETGO: 'JetGo',
  JETGO_help: 'JetGo-Code für Ihre Wallet-App',
  QR: 'QR-Code',
  QR_help: 'Code für Ihre Wallet-App',

  amount: 'Betrag',
  amountWrong: 'Geben Sie einen Betrag ein, zum Beispiel {example}.',
  atLeast: 'Mindestens {min}',
  atMost: 'Höchstens {max}',
  wallet: 'Wallet-ID',
  walletHelp: 'Die Nummer aus Ihrer Wallet-App',
  below: 'Geben Sie {min} oder mehr ein.',
  above: 'Geben Sie {max} oder weniger ein.',
  walletWrong: 'Geben Sie die 4 bis 20 Ziffern aus Ihrer Wallet-App ein.',
  pay: '{amount} bezahlen',
  sending: 'Wird gestartet …',
  slow: 'Die Verbindung ist langsam. Wir versuchen es weiter; es wird nicht doppelt abgebucht.',
  back: 'Zurück zur offenen Zahlung',
  open: 'Ihre begonnene Zahlung ist noch offen. Bestätigen Sie nur eine Zahlung, sonst zahlen Sie doppelt.',
  unpaid: 'Bitte bezahlen Sie zuerst.',

  checking: 'Ihre Zahlung wird geprüft',
  checking_help: 'Das kann einige Minuten dauern. Bitte zahlen Sie nicht noch einmal.',
  redirect: 'Weiter zur Bezahlseite',
  redirect_help: 'Melden Sie sich dort an und bestätigen Sie. Diese Seite aktualisiert sich von selbst.',
  notDirect:
    'An diese Wallet-ID lässt sich keine Anfrage senden. Melden Sie sich stattdessen auf der Bezahlseite an. Diese Seite aktualisiert sich von selbst.',
  redirectOpen: 'Zur Bezahlseite',
  redirectUnsafe:
    'Die Bezahlseite lässt sich nicht sicher öffnen. Es wurde nichts abgebucht. Bitte wählen Sie eine andere Zahlungsart.',
  timeLeft: 'Verbleibende Zeit: {time}',
  timeUp: 'Die Zeit ist abgelaufen',
  timeUp_help: 'Wir prüfen, ob Ihre Zahlung angekommen ist.',
  scan: 'Zum Bezahlen Code scannen',
  scan_help: 'Öffnen Sie Ihre Wallet-App, scannen Sie den Code und bestätigen Sie.',
  scanOther: 'Oder scannen Sie den Code mit einem anderen Gerät.',
  scanLabel: 'QR-Code für die Zahlung von {amount}',
  appOpen: 'Wallet-App öffnen',
  app: 'In der Wallet-App bezahlen',
  app_help: 'Bestätigen Sie die Zahlung dort. Diese Seite aktualisiert sich von selbst.',
  copy: 'Code kopieren',
  copied: 'Kopiert',
  save: 'Bild speichern',
  direct: 'In der Wallet-App bestätigen',
  direct_help: 'In Ihrer Wallet wartet eine Anfrage. Diese Seite aktualisiert sich von selbst.',
  waiting: 'Wir warten auf Ihre Zahlung',
  other: 'Andere Zahlungsart',

  paid: 'Zahlung erhalten',
  surplus:
    'Diese Bestellung wurde mehr als einmal bezahlt. Der Shop ist informiert; bitte wenden Sie sich wegen der überzähligen Zahlung an ihn.',
  otherOpen:
    'Eine andere begonnene Zahlung für diese Bestellung ist noch offen. Bestätigen Sie diese nicht, sonst zahlen Sie doppelt.',
  method: 'Zahlungsart',
  order: 'Bestellung',
  date: 'Datum',
  DECLINED: 'Die Zahlung wurde nicht abgeschlossen',
  DECLINED_help: 'Es wurde nichts abgebucht. Versuchen Sie es noch einmal oder wählen Sie eine andere Zahlungsart.',
  EXPIRED: 'Die Zeit ist abgelaufen',
  EXPIRED_help:
    'Falls Sie im letzten Moment bestätigt haben, erscheint Ihre Zahlung in wenigen Minuten hier. Sonst wurde nichts abgebucht.',
  REPLACED: 'Diese Zahlung wurde ersetzt',
  REPLACED_help: 'Wird die frühere Zahlung doch noch ausgeführt, erscheint sie hier.',
  REJECTED: 'Die Zahlung wurde nicht angenommen',
  REJECTED_help: 'Es wurde nichts abgebucht. Prüfen Sie Ihre Angaben oder wählen Sie eine andere Zahlungsart.',
  NOT_CREATED: 'Die Zahlung wurde nicht gestartet',
  NOT_CREATED_help: 'Es wurde nichts abgebucht. Sie können es unbesorgt noch einmal versuchen.',
  again: 'Noch einmal versuchen',

  lost: 'Keine Verbindung. Wir versuchen es weiter; Ihre Zahlung ist nicht betroffen.',
  retry: 'Jetzt versuchen',
  reload: 'Seite neu laden',
  stopped: 'Die Zahlung kann hier nicht fortgesetzt werden',
  token_expired: 'Diese Seite ist abgelaufen. Laden Sie sie neu. Falls Sie bezahlt haben, ist Ihre Zahlung gültig.',
  invalid_token:
    'Der Zahlungslink ist ungültig. Falls Sie bezahlt haben, ist Ihre Zahlung gültig. Bitte gehen Sie zurück zum Shop.',
  network:
    'Der Zahlungsdienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal: Es wird nicht doppelt abgebucht.',
  invalid_request: 'Bitte prüfen Sie Ihre Angaben. Es wurde nichts abgebucht.',
  already_paid: 'Diese Bestellung ist schon bezahlt. Es wurde nicht noch einmal abgebucht.',
  order_changed:
    'Die Bestellung hat sich geändert. Es wurde keine neue Zahlung gestartet. Bitte gehen Sie zurück zum Shop.',
  method_unavailable:
    'Diese Zahlungsart ist gerade nicht verfügbar. Es wurde nichts abgebucht. Bitte wählen Sie eine andere.',
  too_many_payments:
    'Es gab zu viele Versuche für diese Bestellung. Es wurde keine neue Zahlung gestartet. Bitte wenden Sie sich an den Shop.',
  too_many_requests:
    'Es gab zu viele Versuche. Es wurde nichts abgebucht. Bitte versuchen Sie es später noch einmal oder wählen Sie eine andere Zahlungsart.',
  forbidden_origin:
    'Diese Seite darf keine Zahlungen annehmen. Es wurde keine neue Zahlung gestartet. Bitte informieren Sie den Shop.',
  tryLater: 'Der Zahlungsdienst ist gestört. Bitte versuchen Sie es noch einmal: Es wird nicht doppelt abgebucht.',
  tryNever: 'Die Zahlung konnte nicht gestartet werden. Es wurde nichts abgebucht. Bitte wenden Sie sich an den Shop.',
  reference: 'Referenz: {id}',
} satisfies Messages;
