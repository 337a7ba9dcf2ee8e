// Hebrew.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'Plural (“סרקו”, “אשרו”) or impersonal (“יש להזין”, “נא לחזור”), which address everybody. Buttons: verbal noun (“העתקת הקוד”), never the imperative or the infinitive.',
  say: {
    wallet: 'ארנק',
    walletApp: 'אפליקציית הארנק',
    walletWebsite: 'אתר הארנק',
    walletId: 'מספר הארנק',
    payment: 'תשלום',
    paymentService: 'שירות התשלומים',
    order: 'הזמנה',
    shop: 'חנות',
    amount: 'סכום',
    code: 'קוד',
    image: 'תמונה',
    device: 'מכשיר',
    request: 'בקש[הת]',
    confirm: 'אשרו|אישרתם|אישור',
    logIn: 'התחבר',
    website: 'אתר',
    connection: 'חיבור',
    method: 'אמצעי ה?תשלום',
    anotherWay: 'באמצעי אחר',
    // The verb, and the noun on buttons.
    tryAgain: 'לנסות שוב|נסו שוב|ניסיון נוסף',
    chargedTwice: 'לא תחויבו פעמיים',
    payTwice: 'אחרת תשלמו פעמיים',
    noMoney: 'לא בוצע חיוב',
    countsIfPaid: 'התשלום שלכם תקף',
  },
  never: {
    'דף התשלום': 'English says the wallet’s website',
    'תשלום\\S* (עדיין )?פתוח|לתשלום הפתוח': 'a payment that is “open” is a calque: it is not completed yet',
    עודף: 'means change or surplus; the payment is “נוסף”',
    הוחלף: 'nobody replaced it: the shopper started a newer payment',
    אונליין: 'the shopper is already online: “אתר הארנק”',
    מעצמו: 'English no longer says that the page updates by itself',
  },
} satisfies Glossary;
