// Hindi.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'आप, as Indian banks and wallets do. No verb that shows the shopper’s gender: “आपने … कर दिया है” or the imperative. Buttons: polite imperative (“कोड कॉपी करें”).',
  say: {
    wallet: 'वॉलेट',
    walletApp: 'वॉलेट ऐप',
    walletWebsite: 'वॉलेट की वेबसाइट',
    walletId: 'वॉलेट आईडी',
    payment: 'भुगतान',
    paymentService: 'भुगतान सेवा',
    order: 'ऑर्डर',
    shop: 'स्टोर',
    amount: 'राशि',
    code: 'कोड',
    image: 'इमेज',
    device: 'डिवाइस',
    request: 'अनुरोध',
    confirm: 'पुष्टि',
    logIn: 'लॉग इन',
    website: 'वेबसाइट',
    connection: 'कनेक्शन',
    method: 'भुगतान का (यह )?तरीका',
    anotherWay: 'दूसरे तरीके से',
    tryAgain: 'फिर से कोशिश करें',
    chargedTwice: 'आपके पैसे दो बार नहीं कटेंगे',
    payTwice: 'नहीं तो आपसे दो बार भुगतान हो जाएगा',
    noMoney: 'आपके पैसे नहीं कटे',
    countsIfPaid: 'आपका भुगतान मान्य होगा',
  },
  never: {
    'भुगतान पेज': 'English says the wallet’s website',
    'चाहेंगे|कर सकते हैं|चुन सकते हैं|चुके हैं': 'a masculine form: it assumes the shopper’s gender',
    'पैसा नहीं लिया|पैसे नहीं लिए': 'one says that money “कटे”',
    दुकान: 'a shop in a street; online it is a “स्टोर”',
    'बदल दिया': 'means changed; the shopper started a newer payment',
    'चित्र|सहेज|साझा': 'bookish; phones say “इमेज”, “सेव”, “शेयर”',
    'अपने-आप': 'English no longer says that the page updates by itself',
  },
} satisfies Glossary;
