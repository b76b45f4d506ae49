print("handsetd")
