/// Keys for tests only, which were made for them and protect nothing.
enum SampleKeys {
  static let modulus =
    "3y2k3tbQgTLvovtMNPOS7LJ0H_Sbtna-ggI5i2cFPQD7TxjY_xeOorU4VnHZ4RpZHZYd-qsJiE9pLkyOI93Wf_AwcQ"
    + "MFwhlxu_6HEfMvqJnXr7H6xwdjlHBv1zuUMzw7d7sRFDpax58MWc8VRUSwyCQh4Q3TH2o488ZbOuYEUIRaISMK5e_p"
    + "nqbiJdIgcTeYarIwd2WDJQDVCRIZpb3p2SuydfsR83PJ4k0wb-h1aBOagK1VDA_qfL188_FIuEUULrrTmBGkRIUUBT"
    + "4vUefH_OHgKJi9kM_IbZXMqTrX2H62pflVN9xE4HNQKNys9HKzANsV6tRftn1M7S1kY_6UYQ"
  static let otherModulus =
    "72tPY3b9iorQqiRAlDTuvqnHUMonsCBJxQO0d7pxkZojAMopdMP9G12K31cF6UkvvpUHL8iCkSsvggT1Gpzu56-kOr"
    + "z6ENsbuEbLBgpBXXlddEcfKUnikVAKHTWbjt98usiBruaopX6BH4a3nei5o9UFDitelIEJeBaFbSMXUEaXavxe8_Uu"
    + "ZAvoXkcSt9ki5tcn4e7jTlI4DE3qwerQ2z9XxzfHnFxnM_mc-U_2aqCBk2OYvkCBXqv1SIPgtlByynJXkxZ0ORi7DV"
    + "JeUKcous654tGCOZFLUNfcYIMcxDj2PoVM-wsCok9G_FzlWmhIealnQ4r-BnJBlIam_bYESQ"
  static let weakModulus =
    "n_-LotRnmEq4-kx3jAxvh4ZNt4Uv9r7n07SQvaxa2Dhq_jdWd-fftUF-O0B7z8tHJuVGQ_w2TkGL9mINlIseX2pyFy"
    + "nm7QppuwjeA5oHjhr4mumCS3sEpwLPPvn6zbMQInw-lk7KUtyK2h_HVHCVGxn5xV_ZSyAO5zgENkj5cpU"
  static let privateKey =
    "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDfLaTe1tCBMu+i+0w085LssnQf9Ju2dr6CAjmLZw"
    + "U9APtPGNj/F46itThWcdnhGlkdlh36qwmIT2kuTI4j3dZ/8DBxAwXCGXG7/ocR8y+omdevsfrHB2OUcG/XO5QzPDt3"
    + "uxEUOlrHnwxZzxVFRLDIJCHhDdMfajjzxls65gRQhFohIwrl7+mepuIl0iBxN5hqsjB3ZYMlANUJEhmlvenZK7J1+x"
    + "Hzc8niTTBv6HVoE5qArVUMD+p8vXzz8Ui4RRQuutOYEaREhRQFPi9R58f84eAomL2Qz8htlcypOtfYfral+VU33ETg"
    + "c1Ao3Kz0crMA2xXq1F+2fUztLWRj/pRhAgMBAAECgf9QrE/tWL3f6daY3vAsYZmJFhpNFFfKcb7wLBYWV+9qhi4Iew"
    + "d1idnW+4G+GSsOblcGxknReAOd6rs7VETNMLf4C9bwxhJaNpbXwztp4mmsbD8zdnQPZvP72DIPTlfDJFc/SyTy2WU1"
    + "uNDGfmfAbCcot7xBTGx/QyvCWnaeUwKQDo55R4ZrNecRoFiDkxFl80uql25DvH0+DhTqSlE+9y/T/3Qy6OrfB/EPv6"
    + "XHdzpgsQGjRFowvkul82DHNbOVqM1BSOO03shQM6/RT834iXtKbHaTqMrKPVJH+CqNn2DR0jDZkwIT7kbNn1zVlD+H"
    + "KQVCZWNVW84QZkkCfvDdWIECgYEA+YdEEprImNtR87f4v3Q8D0t3bLbi9YdpmMIUf2i2pObJp9USnaVn0EtkafuW+L"
    + "AgTLyMsnEakyKNq/1myM2LYjs2PjjhL1ksmCYd9m6PYjWWdEJZW+igtLRPGlnSfEOFCQRAXguzSFpGudmHEGkZ+dAG"
    + "CaAVfpuxqr+6wG1dqCECgYEA5PdtgDzu4lJW2v0qaESSAfHa3ZMcOgHRDyiX1kITK9zFGV+oJqkikPnAWwOxitoccg"
    + "dx0aUkU6ztGC64qatEyoBMty+OnGjGV2jdq+RibxCP1pHOBllgheeMzy3/EeFfgzfQ9IMiL1f1o9M4oevB6Q9F8qcE"
    + "nKLHtAw/T3BKZEECgYAz5y8Br7CKGxSw3VOgf0z+4XO16VTMPZ55Z+VbmyxioJ7RikCVChLOAOCiKvL8R6ZwT8f0Vh"
    + "JxCH7vh4YZvqd/h1GBH9O3RZVBEKyq1dR9WSgyhpqPw5OqAtdxY72km2bQuVGqPkTMh/quLdEqWLJOhDa9Sc8uxrPu"
    + "EHOIEzeoAQKBgQCMHyvhHeknkjJbRDGuq8Aa9pL1pLDSgwgY2cPKOJeY8Tuh4pt6RWnFBUMFsAX4LrDXy9yI6yKHHr"
    + "3eXcFe/FRWBRxtwunoqGoxVhjKuDLRO3Z7XrGRyyK579GJfOGrZJxaJk93Q8Uo6hCG2J3A4hHCejlZXYMCBNBoTFJ2"
    + "YAb2wQKBgQDDd6ka57WkEgGAwKzLRhmJcnHoYS7RcKR+ANR23FSXHc4238NkZUGpLkJMO5yB86Wz2ygnhcqTDtFw9p"
    + "Fp6tcvXyQyj3JKzGPy7dMgFMampPxEV1UUgHmFhl2O6g6Lmquiqs4/ABVP6HW+INsKHrMBh+LvbEFaYRapGOOAkBtg"
    + "xg=="
  static let otherPrivateKey =
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDva09jdv2KitCqJECUNO6+qcdQyiewIEnFA7R3un"
    + "GRmiMAyil0w/0bXYrfVwXpSS++lQcvyIKRKy+CBPUanO7nr6Q6vPoQ2xu4RssGCkFdeV10Rx8pSeKRUAodNZuO33y6"
    + "yIGu5qilfoEfhred6Lmj1QUOK16UgQl4FoVtIxdQRpdq/F7z9S5kC+heRxK32SLm1yfh7uNOUjgMTerB6tDbP1fHN8"
    + "ecXGcz+Zz5T/ZqoIGTY5i+QIFeq/VIg+C2UHLKcleTFnQ5GLsNUl5Qpyi6zrni0YI5kUtQ19xggxzEOPY+hUz7CwKi"
    + "T0b8XOVaaEh5qWdDiv4GckGUhqb9tgRJAgMBAAECggEAEFKgho9lJkX5XMbcyJiaQqajEjDncfR66w2/XElPtwWgnM"
    + "wWSvcWDBX9eDq/36wvxIkhr2I2yqG8hbCuVY/noXqXUlzcxKZCNnb3HlSNKSEI3CWsLB202W4w86sFDcF9Xg5PpHER"
    + "LuVCyuIy+wxT5GWgcwXwbGSmv13ztKGHlEn2A7Y0Vqk725A6lb7GIBFr8C99qlzik2WH8rF06KdR5bwVrtQMFP4gb6"
    + "bhlnuQBzn79fktjtmX0zw6TlywX2ChTUXc3qGh4PWhnrUzOwSTKgMC9FT+YOUaDARbsK/J5YGD1ZEtpm85IX7HF/e6"
    + "8MdwwxPSLHKpmYf0sYmuLD4ALQKBgQD7W39HjGhjfUc8GTB/Eag5SbdVlMSZujCh+u2BzNP2rGUWKyHCl7wKGjYOWH"
    + "P7s2hqRRzagOsuPD0P67oEuJvTmaUapybqC68GTTUpELjWsDuBhbOmTHSWRnL2Gyj5QRvFWr5EQitqr5VndIabLZrF"
    + "bCIVk6Tu6Z+3cPLU4i1CPQKBgQDz111sYY2/Fhu4RRsXZi4V67V048+FWtlSaI6KiR9RyxVcbwPPQ2aIcCbYfCcu/F"
    + "+vhwKB5/RnkLk5gURLoIYyl9Bd4Y0CqzkiXFg+qFRLrTPPqSyeoaaQG2R0AKMfk0kxfwce5gUQ0HbGe7l01egx4PZi"
    + "yeVvg91hIVhpnqim/QKBgGerZyWFXZCbHQRGh2ABUla+dqUPhL66slA8hDTi3BGDLPYlt/jgSCgKg30LMlr/tfMOqk"
    + "XcoiMhqTWlzcUgtvRhDF2fz0b8pqV8to5HXVT+vqw/DsdqBTPtvoCO1ylmlyOgt5TDjdCktoRC5TmfZ5RBcxVfHcmE"
    + "BeHM7fqrhmspAoGBAPDk/hW5lpiGFeKI2wfV2YescnrFKNn885/3TYLNjtR2hmboAeJ8GsqFycqrdOZ1S26UOcTuy8"
    + "SY9HQ8IaV5M7q9wotM7csKLwqkIkXcdFLDDOGFp2AcIPpTJX14t67VCkVM0lMTOUPwPrc9ue0T+i10qtTT0sfFhSqV"
    + "D8xggwtdAoGAL7Jo62Ec3lHhHj1WkkQGZZM9NJ/eAiATOERAAyiN30l+lbRW/1VsfYD63946FrlJ2seD423GUiONUn"
    + "ezlhdxvXNExC1hyz4iJJRBEqaJ0I9R24xTKaAwlBIop8kYOLkwFyHlGIt2j5+QC4dZ066Bx84+ASu8A2NmMmEN/aMB"
    + "/bE="
  static let ellipticKey =
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCUXcF9V+TsPkgktwjKVyBKRHU9gfcXCaW8/KL8Ca8M"
    + "2hRANCAATHcUFW4jX3ciEkFEMdzJp4aCOFBqZi07QCTFqv1MzFNLw2n1vsUrq2/BAhkH32vOWWxHqDICR/y6E4IgVC"
    + "JuSZ"

  /// Returns a key in the form of a service account's file.
  static func pem(_ key: String) -> String {
    "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n"
  }
}
