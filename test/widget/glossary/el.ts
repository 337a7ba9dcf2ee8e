// Greek.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'εσείς, as Greek banks do. Buttons: verbal noun (“Αντιγραφή κωδικού”), never the imperative.',
  say: {
    wallet: 'πορτοφ[οό]λι',
    walletApp: 'εφαρμογ(ή|ής) πορτοφολιού',
    walletWebsite: 'ιστ[οό]τοπο[ςυ]? (του )?πορτοφολιού',
    walletId: 'αριθμό[ςν]? πορτοφολιού',
    payment: 'πληρωμ',
    paymentService: 'υπηρεσία πληρωμών',
    order: 'παραγγελία',
    shop: 'κατάστημα',
    amount: 'ποσό',
    code: 'κωδικ',
    image: 'εικόνα',
    device: 'συσκευή',
    request: 'αίτημα|αιτήματος',
    confirm: 'επιβεβαι[ωώ]σ',
    logIn: 'συνδεθείτε',
    website: 'ιστ[οό]τοπο',
    connection: 'σύνδεσ',
    method: 'τρόπος πληρωμής',
    anotherWay: 'με άλλον τρόπο',
    // The verb, and the noun on buttons.
    tryAgain: 'προσπαθήσ\\S+ ξανά|νέα προσπάθεια',
    chargedTwice: 'δεν θα χρεωθείτε δύο φορές',
    payTwice: 'αλλιώς θα πληρώσετε δύο φορές',
    noMoney: 'δεν έγινε καμία χρέωση',
    countsIfPaid: 'η πληρωμή σας ισχύει',
  },
  never: {
    'σελίδα\\S* πληρωμής': 'English says the wallet’s website',
    'ανοι[χκ]τή': 'a payment that is “open” is a calque: it is “εκκρεμής”',
    δοκιμ: 'means to test; one tries again with “προσπαθήστε ξανά”',
    αντικαταστάθηκε: 'nobody replaced it: the shopper started a newer payment',
    'μόνη της': 'colloquial, and English no longer says that the page updates by itself',
  },
} satisfies Glossary;
